"""Runs the tests of Tests/Cross and writes their results: `harness.py RESULT.json [--boards]`.

Without `--boards` the modules that start many boards, and those that compile, are left out. By hand
`python3 -m unittest discover -s Tests/Cross` runs all of them.
"""

from __future__ import annotations

import json
import sys
import time
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "cross"))

from target.limits import TestLimit  # noqa: E402
from target.suites import Collector, SuiteResult, flat  # noqa: E402

PLACE = REPOSITORY / "Tests/Cross"
#: The modules that start many boards, compile, or fetch a root file system: minutes, for work on the tools themselves.
LONG = ("test_board", "test_board_failures", "test_left_behind", "test_package_chroot", "test_reproduce", "test_targets")


def main() -> int:
    """Runs them; 1 where one failed, was interrupted, or none ran."""
    sys.path.insert(0, str(PLACE))
    result = SuiteResult("tools for boards")
    start = time.monotonic()
    modules = sorted(path.stem for path in PLACE.glob("test_*.py"))
    chosen = [name for name in modules if "--boards" in sys.argv or name not in LONG]
    tests = unittest.TestSuite(flat(unittest.TestLoader().loadTestsFromNames(chosen)))
    tests.run(Collector(result, lambda line: print(line, flush=True), TestLimit()))
    result.seconds = time.monotonic() - start
    Path(sys.argv[1]).write_text(json.dumps({"suites": [result.json()]}))
    return 0 if result.passed and not result.failed and not result.interrupted else 1


if __name__ == "__main__":
    sys.exit(main())
