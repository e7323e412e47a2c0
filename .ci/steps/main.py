"""The frame of the programs that run tests: signals, the report, the exit status."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

from target.suites import SuiteResult

from .run import REPOSITORY, Run


def run_main(work: Callable[[Run], None]) -> NoReturn:
    """Does the work in the repository, prints the report and exits: 0 where tests ran and all that ran passed."""
    os.chdir(REPOSITORY)
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    run = Run()
    try:
        work(run)
    except KeyboardInterrupt:
        run.results.append(SuiteResult("the run", interrupted=[("the run", "it was stopped by a signal")]))
    finally:
        run.end()
    print("\n".join(run.report()), flush=True)
    sys.exit(0 if run.passed else 1)
