"""Run the tutorials from top to bottom, and fail where a cell does: `python tutorials/execute.py [--in-place]`.

Without `--in-place` nothing is written: the notebooks keep the outputs they have.
"""

import argparse
import sys
from pathlib import Path
from time import perf_counter

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError

HERE = Path(__file__).parent
SECONDS_PER_CELL = 600


def execute(path: Path, *, in_place: bool) -> bool:
    """Run one notebook in its own folder; say how long it took, or what went wrong."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=SECONDS_PER_CELL,
        kernel_name="python3",
        record_timing=False,  # the clock would change the file at every run
        resources={"metadata": {"path": str(path.parent)}},
    )
    began = perf_counter()
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError) as error:
        print(f"{path.name}: {error}", file=sys.stderr)
        return False
    print(f"{path.name}: {perf_counter() - began:.0f} s", flush=True)
    if in_place:
        nbformat.write(notebook, path)
    return True


def main() -> None:
    """Run all notebooks, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="*", type=Path, help="notebooks to run; all by default")
    parser.add_argument("--in-place", action="store_true", help="write the outputs into the notebooks")
    arguments = parser.parse_args()
    notebooks = arguments.notebooks or sorted(HERE.glob("*.ipynb"))
    done = [execute(path, in_place=arguments.in_place) for path in notebooks]
    sys.exit(0 if done and all(done) else 1)


if __name__ == "__main__":
    main()
