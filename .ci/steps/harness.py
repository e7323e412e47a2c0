"""Runs the tests of Tests/Cross, each with a time limit, and writes what came of them: `harness.py RESULT.json`.

By hand `python3 -m unittest discover -s Tests/Cross` does the same without limits.
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
#: Seconds for one test; the longest starts several boards.
LIMIT = 300


def main() -> int:
    """Runs them; 1 where one failed or none ran."""
    sys.path.insert(0, str(PLACE))
    result = SuiteResult("tools for boards")
    start = time.monotonic()
    tests = unittest.TestSuite(flat(unittest.TestLoader().discover(str(PLACE))))
    tests.run(Collector(result, lambda line: print(line, flush=True), TestLimit(LIMIT)))
    result.seconds = time.monotonic() - start
    Path(sys.argv[1]).write_text(json.dumps({"suites": [result.json()]}))
    return 0 if result.passed and not result.failed else 1


if __name__ == "__main__":
    sys.exit(main())
