"""The power cuts as a suite beside the others."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from target.suites import SuiteResult
from toolchain import children
from toolchain.failure import MISSING

REPOSITORY = Path(__file__).resolve().parents[2]


def run_power_cuts(cuts: int | None, cycles: int | None, say: Callable[[str], None]) -> SuiteResult:
    """Runs `cross/power/run`; what this machine lacks for it skips it, with the reason."""
    result = SuiteResult("power")
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="cleat-power-result-") as place:
        report = Path(place) / "report.json"
        words = [str(REPOSITORY / "cross/power/run"), "--json", str(report)]
        if cuts is not None:
            words += ["--cuts", str(cuts)]
        if cycles is not None:
            words += ["--cycles", str(cycles)]
        done = children.run(words, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, grace=30)
        lines = done.stdout.splitlines()
        for line in lines[:-1]:
            say(line)
        if done.returncode == MISSING:
            result.skipped.append(("power cuts", "a part of this machine is missing; see above"))
        elif not report.exists():
            result.failed.append(("power cuts", f"cross/power/run ended with {done.returncode}"))
        else:
            told = json.loads(report.read_text())
            result.passed = told["counts"]["passed"]
            result.skipped += [("power cuts", reason) for reason in told["skipped"]]
            failures = list(told["failures"])
            failures += [f"{one['variant']}: {one['blind'] or one['violations'][:3]}" for one in told["sets"]
                         if not one["passed"]]
            failures += [f"cycle: {cycle}" for cycle in told["cycles"] if not cycle["passed"]]
            result.failed += [("power cuts", str(failure)) for failure in failures]
            if done.returncode != 0 and not result.failed:
                result.failed.append(("power cuts", f"cross/power/run ended with {done.returncode}"))
    result.seconds = time.monotonic() - start
    sys.stderr.flush()
    return result
