"""Fetches a file and keeps it only when it is the one that was asked for."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Sequence

from .failure import FAILED, MISSING, Failure

STALL = 30  # seconds without a byte


def fetch(addresses: Sequence[str], checksum: str, target: Path) -> Path:
    """Fetches the first of the addresses that gives the file with this SHA-256; a wrong one is not kept.

    Raises `Failure`: with the status for a missing part where nothing could be fetched, and not where something wrong was.
    """
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    problems: list[str] = []
    wrong = False
    for address in addresses:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                found = _receive(address, file)
            if found == checksum:
                os.rename(name, target)
                return target
            wrong = True
            problems.append(f"{address}: has checksum {found}, must have {checksum}; nothing of it was kept")
        except (OSError, ValueError) as error:
            problems.append(f"{address}: {getattr(error, 'reason', None) or error}")
        finally:
            if os.path.exists(name):
                os.unlink(name)
    what = "is not what was pinned" if wrong else "could not be fetched"
    raise Failure(f"{target.name} {what}:\n  " + "\n  ".join(problems), status=FAILED if wrong else MISSING)


def _receive(address: str, file) -> str:
    digest = hashlib.sha256()
    shown = 0.0
    received = 0
    with urllib.request.urlopen(address, timeout=STALL) as answer:
        total = int(answer.headers.get("Content-Length") or 0)
        while block := answer.read(1 << 18):
            digest.update(block)
            file.write(block)
            received += len(block)
            if sys.stderr.isatty() and time.monotonic() - shown > 0.2:
                shown = time.monotonic()
                of = f" of {total / 1e6:.0f}" if total else ""
                print(f"\r  {received / 1e6:.0f}{of} MB", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    if total and received != total:
        raise OSError(f"broke off after {received} of {total} bytes")
    return digest.hexdigest()
