"""The power cuts as a suite next to the others."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from target.suites import SuiteResult
from toolchain import children
from toolchain.failure import MISSING

REPOSITORY = Path(__file__).resolve().parents[2]
#: Seconds that `cross/power/run` has to switch its board off after SIGTERM.
GRACE = 40


def run_power_cuts(options: Sequence[str], programs: Path | None, say: Callable[[str], None]) -> SuiteResult:
    """Runs `cross/power/run` with these options and the programs of a directory; a part that this machine lacks skips
    it, with the reason."""
    result = SuiteResult("power")
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="cleat-power-result-") as place:
        report = Path(place) / "report.json"
        words = [str(REPOSITORY / "cross/power/run"), "--json", str(report), *options]
        if programs is not None:
            words += ["--programs", str(programs)]
        try:
            done = children.run(words, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, grace=GRACE)
        finally:
            result.seconds = time.monotonic() - start
        for line in done.stdout.splitlines()[:-1]:
            say(line)
        status = done.returncode
        if not report.exists():
            result.failed.append(("power cuts", f"cross/power/run ended with {status}"))
        else:
            told = json.loads(report.read_text())
            result.passed = told["counts"]["passed"]
            result.skipped += [("power cuts", reason) for reason in told["skipped"]]
            failures = list(told["failures"])
            failures += [f"{one['variant']}: {one['blind'] or one['violations'][:3]}" for one in told["sets"]
                         if not one["passed"]]
            failures += [f"cycle: {cycle}" for cycle in told["cycles"] if not cycle["passed"]]
            result.failed += [("power cuts", str(failure)) for failure in failures]
            if status not in (0, MISSING) and not result.failed:
                result.failed.append(("power cuts", f"cross/power/run ended with {status}"))
    return result
