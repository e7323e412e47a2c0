"""The power cuts as a suite beside the others."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from target.errors import LimitReached
from target.suites import SuiteResult
from toolchain import children
from toolchain.failure import MISSING

REPOSITORY = Path(__file__).resolve().parents[2]
#: Seconds that `cross/power/run` has to switch its board off once it was told to end.
GRACE = 40


def run_power_cuts(
    cuts: int | None, cycles: int | None, seed: int | None, say: Callable[[str], None],
) -> SuiteResult:
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
        if seed is not None:
            words += ["--seed", str(seed)]
        try:
            done = children.run(words, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, grace=GRACE)
        except LimitReached as error:
            result.failed.append(("power cuts", f"cross/power/run was ended: {error}; see above how far it was"))
            return result
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
