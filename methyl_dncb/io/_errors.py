"""The error that every reader raises for a file it cannot trust."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike


class FormatError(ValueError):
    """A file that does not say what it should; the message names the file and, where there is one, the line.

    Parameters
    ----------
    message
        What is wrong, and what to do about it.
    path
        The file.
    line
        Line number, from 1 (for BAM: the number of the record).

    Examples
    --------
    >>> from methyl_dncb.io import FormatError
    >>> str(FormatError("a count is negative (-3)", "a.cov", 7))
    'a.cov, line 7: a count is negative (-3)'
    """

    def __init__(self, message: str, path: str | PathLike[str] | None = None, line: int | None = None):
        self.message, self.path, self.line = message, path, line
        where = "" if path is None else f"{path}: " if line is None else f"{path}, line {line}: "
        super().__init__(where + message)

    def __reduce__(self) -> tuple:
        return FormatError, (self.message, self.path, self.line)
