"""The paper's predictive study with this package: `python benchmarks/paper --quick`.

The synthetic part draws its data and needs nothing else. With `--data`, a folder that holds the authors' files
(`authors_synthetic/`) and real data (`real/`), it also runs the comparison on those.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path

import authors
import real
import synthetic
from sizes import SIZES

PARTS = ("synthetic", "authors", "real")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", dest="size", action="store_const", const="quick", help="minutes: short chains")
    size.add_argument("--short", dest="size", action="store_const", const="short", help="one dataset, full chains")
    size.add_argument("--hour", dest="size", action="store_const", const="hour", help="under an hour on two cores")
    size.add_argument("--full", dest="size", action="store_const", const="full", help="as in the paper: several hours")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what to run")
    parser.add_argument("--masks", type=int, help="masks for each dataset, instead of the size's own number")
    parser.add_argument("--data", type=Path, default=os.environ.get("METHYL_DNCB_DATA"), help="folder of files")
    parser.add_argument("--output", type=Path, default=Path("paper_results"), help="folder for tables and plots")
    parser.add_argument("--jobs", type=int, default=-1, help="fits at a time, one core each")
    parser.set_defaults(size="quick")
    options = parser.parse_args()
    if options.data is not None and not Path(options.data).is_dir():
        parser.error(f"--data: {options.data} is no folder")
    return options


def main() -> None:
    options = parse()
    size = SIZES[options.size]
    if options.masks:
        size = replace(size, n_masks=options.masks)
    options.output.mkdir(parents=True, exist_ok=True)
    if "synthetic" in options.parts:
        synthetic.study(size, options.output, options.jobs)
    for name, part in (("authors", authors), ("real", real)):
        if name not in options.parts:
            continue
        if options.data is None:
            print(f"{name}: left out, as no --data folder is given")
        else:
            part.study(size, Path(options.data), options.output, options.jobs)


if __name__ == "__main__":
    main()
