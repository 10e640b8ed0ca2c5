// β of all samples with Nextflow:
//   nextflow run main.nf --calls 'results/*.bismark.cov.gz' --regions genes.gtf.gz

params.calls = 'results/*.bismark.cov.gz'
params.regions = 'genes.gtf.gz'
params.outdir = 'results'
params.beta_options = ''

process METHYL_DNCB_BETA {
    tag 'all samples'
    cpus 4
    memory { 2.GB * task.cpus }
    publishDir params.outdir, mode: 'copy'

    input:
    path calls
    path regions

    output:
    path 'beta.h5ad', emit: beta

    script:
    """
    methyl-dncb beta ${calls} --regions ${regions} --output beta.h5ad \\
        --n-jobs ${task.cpus} ${params.beta_options}
    """
}

workflow {
    METHYL_DNCB_BETA(channel.fromPath(params.calls, checkIfExists: true).toSortedList(), file(params.regions, checkIfExists: true))
}
