"""Run every benchmark, one after the other, and collect what they wrote.

Run ``python examples/benchmarks/run_all.py``, with ``--quick`` for minutes instead of
hours, with ``--write`` to renew ``docs/results`` and ``docs/results.md``, with names
(``core ebek``) for some of them only.
"""

import argparse
import subprocess
import sys
import time

from collect_results import BENCHMARKS, benchmarks


def main():
    """Run, report seconds and failures, and collect."""
    names = benchmarks()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    parser.add_argument("--quick", action="store_true", help="small sizes, few seeds")
    parser.add_argument("--write", action="store_true", help="renew docs/results")
    arguments = parser.parse_args()
    if unknown := sorted(set(arguments.names) - set(names)):
        parser.error(f"no such benchmark: {', '.join(unknown)}")
    if arguments.quick and arguments.write:
        parser.error("--quick measures too little to be written")
    flags = [f"--{flag}" for flag in ("quick", "write") if getattr(arguments, flag)]
    failed = []
    for name in [name for name in names if name in (arguments.names or names)]:
        print(f"\n== {name}", flush=True)
        start = time.perf_counter()
        script = BENCHMARKS / f"bench_{name}.py"
        if subprocess.run([sys.executable, script, *flags], check=False).returncode:
            failed.append(name)
        print(f"== {name}: {time.perf_counter() - start:.0f} s", flush=True)
    if arguments.write:
        collector = BENCHMARKS / "collect_results.py"
        subprocess.run([sys.executable, collector, "--write"], check=True)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
