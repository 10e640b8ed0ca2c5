"""Read what methylation pipelines write into AnnData."""
