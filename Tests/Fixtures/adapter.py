#!/usr/bin/env python3
"""A program that takes part in changes of settings (`dev.cleat.Adapter`), for tests: `adapter.py DIRECTORY`.

Its state is the file `state` of the directory. It logs each call to the file `calls`. A line `METHOD KIND` of the file
`fault` makes a method fail: hang, die, garbage,
lie, fail, error, large, twice, loud, late.
"""

import json
import sys
import time
from pathlib import Path

INTERFACE = "dev.cleat.Adapter."
PLACE = Path(sys.argv[1])
STATE = PLACE / "state"


def kind_of_fault(method: str) -> str:
    """The way in which a method is to fail; empty if it is not."""
    try:
        lines = (PLACE / "fault").read_text().splitlines()
    except FileNotFoundError:
        return ""
    return next((line.split()[1] for line in lines if line.split()[0] == method), "")


def state() -> str:
    """The present state."""
    return STATE.read_text() if STATE.exists() else "factory"


def put(text: str) -> None:
    """Replaces the state."""
    new = PLACE / "state.new"
    new.write_text(text)
    new.rename(STATE)


def wanted(settings: dict) -> str:
    """The state that settings say."""
    return f"exposure {settings['camera']['exposure']}"


def answer(method: str, parameters: dict) -> dict:
    """Does what a method says."""
    fault = kind_of_fault(method)
    if fault == "hang":
        time.sleep(600)
    if fault == "die":
        print("the sensor is gone", file=sys.stderr)
        sys.exit(3)
    if fault == "loud":
        print("noise " * 40_000, file=sys.stderr)
    if fault == "late":
        time.sleep(600)
    if fault == "fail":
        key = parameters.get("settings", {}).get("camera", {}).get("key", "cable")
        return {"error": INTERFACE + "Failed", "parameters": {"reason": f"the sensor does not answer; check its {key}"}}
    if fault == "error":
        return {"error": "org.example.Other", "parameters": {}}
    lies = fault == "lie"
    reply = {}
    if method == "Check":
        problem = {"path": "camera/exposure", "reason": "is longer than this sensor allows; use at most 50"}
        reply = {"problems": [problem] if parameters["settings"]["camera"]["exposure"] > 50 else []}
    elif method == "Capture":
        reply = {"state": "x" * (1 << 19) if fault == "large" else state()}
    elif method == "Apply":
        if not lies:
            put(wanted(parameters["settings"]))
    elif method == "Restore":
        if not lies:
            put(parameters["state"])
    elif method == "Fingerprint":
        reply = {"fingerprint": "" if lies else state()}
        if parameters.get("settings") is not None:
            reply["holds"] = state() == wanted(parameters["settings"])
    else:
        return {"error": "org.varlink.service.MethodNotFound", "parameters": {"method": method}}
    return {"parameters": reply}


def main() -> None:
    """Answers the calls on standard input until its end."""
    received = b""
    while piece := sys.stdin.buffer.raw.read(1 << 16):
        received += piece
        while b"\0" in received:
            message, received = received.split(b"\0", 1)
            call = json.loads(message)
            method = call["method"].removeprefix(INTERFACE)
            with (PLACE / "calls").open("a") as calls:
                calls.write(method + "\n")
            if kind_of_fault(method) == "garbage":
                sys.stdout.buffer.write(b"hello\n\0")
            else:
                reply = json.dumps(answer(method, call.get("parameters", {}))).encode() + b"\0"
                sys.stdout.buffer.write(reply * (2 if kind_of_fault(method) == "twice" else 1))
            sys.stdout.buffer.flush()


main()
