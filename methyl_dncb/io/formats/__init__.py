"""The text formats of methylation calls that `read_calls` knows, one family a file."""

from . import allc, bedgraph, bedmethyl, biscuit, bismark, cgmap, methylkit

FORMATS = {
    call_format.name: call_format
    for family in (bismark, bedgraph, bedmethyl, allc, cgmap, methylkit, biscuit)
    for call_format in family.FORMATS
}

__all__ = ["FORMATS"]
