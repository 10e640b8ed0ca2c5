"""Blocks of rows and columns, and the threads that share them out.

A block is the unit of work and of randomness: it is cut by the data's shape alone and owns its bit generator,
so the same seed gives the same bits for any number of threads.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ENTRIES_PER_BLOCK = 65_536
FEWEST_BLOCKS = 8
COLUMNS_PER_BLOCK = 128

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Block:
    """Rows (or columns) from `start` to `stop`, the `number`-th of their kind."""

    number: int
    start: int
    stop: int

    @property
    def slice(self) -> slice:
        """The same as a slice."""
        return slice(self.start, self.stop)


def _cut(length: int, size: int) -> list[Block]:
    starts = range(0, length, size)
    return [Block(number, start, min(start + size, length)) for number, start in enumerate(starts)]


def row_blocks(n_rows: int, n_columns: int) -> list[Block]:
    """Blocks of rows with about ENTRIES_PER_BLOCK entries, and not too few of them to share out."""
    size = min(ENTRIES_PER_BLOCK // n_columns, -(-n_rows // FEWEST_BLOCKS))
    return _cut(n_rows, max(size, 1))


def column_blocks(n_columns: int) -> list[Block]:
    """Blocks of COLUMNS_PER_BLOCK columns."""
    return _cut(n_columns, COLUMNS_PER_BLOCK)


def _drain(todo: deque[T]) -> Iterator[T]:
    while True:
        try:
            yield todo.popleft()
        except IndexError:
            return


class Workers:
    """A pool of threads for kernels that release the GIL; with one worker, no thread is started."""

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers
        self._pool = ThreadPoolExecutor(n_workers) if n_workers > 1 else None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def share(self, work: Callable[[Iterator[T], int], None], items: Iterable[T]) -> None:
        """Call `work(some_of_items, worker)` in every worker; each takes the next item when it is free."""
        todo = deque(items)
        if self._pool is None:
            work(_drain(todo), 0)
            return
        futures = [self._pool.submit(work, _drain(todo), worker) for worker in range(self.n_workers)]
        try:
            for future in futures:
                future.result()
        except BaseException:
            todo.clear()  # the others stop at the end of the block they are in
            wait(futures)
            raise
