"""Read what methylation pipelines write."""

from ._errors import FormatError
from ._genes import read_genes
from ._read_betas import read_betas
from ._read_calls import read_calls
from ._region_table import read_bed
from ._sniff import FORMAT_NAMES

__all__ = ["FORMAT_NAMES", "FormatError", "read_bed", "read_betas", "read_calls", "read_genes"]
