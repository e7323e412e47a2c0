"""The cases of verbs for events, devices and links."""

from __future__ import annotations

import time

from version_board import Failed
from version_calls import Calls, Started
from version_cases import case, expect


@case("events")
def events(calls: Calls) -> None:
    """Follows events of settings, then replays them."""
    instance = calls.board.call("dev.cleat.Service.Status")["instance"]
    started = calls.begin("events", "--source", "setting", "--properties", "-n", "1")
    _until_ended(calls, started, lambda number: calls.board.set({"app/count": number}))
    calls.end(started, has=("app/count",), drop=("sequence", "properties", "cause"), keep="app/count")
    done = calls.run("events", "--instance", instance, "--after", "0", "--source", "setting", "-n", "1",
                     drop=("sequence", "cause"), keep="app/count")
    if "app/count" not in done.output:
        raise Failed(f"the replay lacks the event: {done}")


@case("events of other sources")
def other_events(calls: Calls) -> None:
    """Follows events of all sources while a program emits one, which an older client does not know."""
    instance = calls.board.call("dev.cleat.Service.Status")["instance"]
    calls.board.reply("dev.cleat.Events.Emit", action="pressed", subject="door")
    calls.board.set({"app/count": 50 + calls.n})
    started = calls.begin("events", "--subject", "[da]*o*", "--instance", instance, "--after", "0")
    time.sleep(1)
    calls.board.set({"app/count": 60 + calls.n})
    time.sleep(1)
    is_running = started.process.poll() is None
    output, error = calls.kill(started) if is_running else started.process.communicate()
    if not is_running:
        status = started.process.returncode
        raise Failed(f"`{started.command}` ended by itself with {status}: {output.strip()[-300:]} {error.strip()[-600:]}")
    expect("the number of events of settings", output.count("app/count") >= 2, True)


def _until_ended(calls: Calls, started: Started, change: object) -> None:
    """Makes changes until the client ends."""
    assert callable(change)
    calls.board.eventually(
        "the client is connected",
        lambda: started.process.poll() is not None or calls.board.call("dev.cleat.Service.Status")["connections"] > 1)
    for number in range(100, 130):
        change(10 * number // 10)
        time.sleep(0.2)
        if started.process.poll() is not None:
            return


@case("emit")
def emit(calls: Calls) -> None:
    """Publishes an event, which is in the replay; one that is kept is listed."""
    instance = calls.board.call("dev.cleat.Service.Status")["instance"]
    calls.run("emit", "pressed", f"door/{calls.n}", "--property", "BUTTON=2", drop=("sequence",), keep="^$")
    done = calls.run("events", "--instance", instance, "--after", "0", "--source", "app", "--subject", f"door/{calls.n}",
                     "-n", "1", "--properties", drop=("sequence",), has=("BUTTON",), keep="door")
    expect("the subject", f"door/{calls.n}" in done.output, True)
    calls.run("emit", "opened", f"gate/{calls.n}", "--keep", "1h", drop=("sequence",), keep="^$")
    kept = calls.board.call("dev.cleat.Events.Kept")["events"]
    expect("the kept event", kept[-1]["subject"], f"gate/{calls.n}")


@case("events --source app", is_newer=True)
def app_events(calls: Calls) -> None:
    """Replays events of programs."""
    instance = calls.board.call("dev.cleat.Service.Status")["instance"]
    calls.board.reply("dev.cleat.Events.Emit", action="pressed", subject=f"door/{calls.n}")
    calls.run("events", "--instance", instance, "--after", "0", "--source", "app", "--subject", f"door/{calls.n}", "-n", "1",
              drop=("sequence",), has=("pressed",), keep="pressed")


@case("devices")
def devices(calls: Calls) -> None:
    """Lists devices of a subsystem."""
    calls.run("devices", "--subsystem", "net", has=("lo",), keep="net/lo")


@case("links")
def links(calls: Calls) -> None:
    """Lists the links of the board's namespace."""
    calls.run("links", has=("lo", "127.0.0.1/8"), keep="^lo |lo", drop=("duplicates", "routes"))


@case("power")
def power(calls: Calls) -> None:
    """Lists the power supplies, of which there are none."""
    calls.run("power")


@case("location")
def location(calls: Calls) -> None:
    """Prints the location that a program has published."""
    properties = {"FIX": "3d", "LATITUDE": "52.521", "LONGITUDE": f"13.40{calls.n}"}
    calls.board.reply("dev.cleat.Events.Emit", action="located", subject="location", properties=properties, keep=3_600_000)
    calls.run("location", has=("52.521", f"13.40{calls.n}"), keep="fix|position")
