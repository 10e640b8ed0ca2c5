"""Ctrl-C between sweeps instead of in the middle of one."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Interruption:
    """Whether Ctrl-C was pressed."""

    happened = False


@contextmanager
def deferred_interrupt(wanted: bool) -> Iterator[Interruption]:
    """Note the first Ctrl-C instead of raising; a second one raises as usual.

    Signals reach the main thread only, and elsewhere nothing changes.
    """
    interruption = Interruption()
    if not wanted or threading.current_thread() is not threading.main_thread():
        yield interruption
        return
    usual = signal.getsignal(signal.SIGINT)

    def note(_number, _frame):
        interruption.happened = True
        signal.signal(signal.SIGINT, usual)

    signal.signal(signal.SIGINT, note)
    try:
        yield interruption
    finally:
        signal.signal(signal.SIGINT, usual)
