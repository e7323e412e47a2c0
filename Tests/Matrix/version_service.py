"""The cases of verbs for hooks, schemas and the service itself."""

from __future__ import annotations

import json

from version_calls import Calls
from version_cases import case, expect

# MARK: Hooks and schemas


@case("hook list")
def hooks(calls: Calls) -> None:
    """Lists hooks."""
    calls.run("hook", "list", has=("note",))


@case("hook test")
def hook_test(calls: Calls) -> None:
    """Prints the program of a hook on an event, and the patterns that another event does not match."""
    calls.run("hook", "test", "note", "--subject", "app/enabled", has=("/bin/sh",), keep="source|subject|matches|/bin/sh",
              drop=("environment",))
    calls.run("hook", "test", "note", "--subject", f"other-{calls.n}", status=1, keep="source|subject", drop=("environment",))


@case("hook run")
def hook_run(calls: Calls) -> None:
    """Runs a hook."""
    calls.run("hook", "run", "note", has=("app/enabled",), keep="clauses|matches|enabled")


@case("schema validate")
def validate(calls: Calls) -> None:
    """Checks documents, without a service."""
    calls.board.write("work/good.json", json.dumps({"app": {"count": calls.n}}))
    calls.board.write("work/bad.json", json.dumps({"app": {"count": "text"}}))
    calls.run("schema", "validate", "../etc/schema.d/site.json", "good.json")
    calls.run("schema", "validate", "../etc/schema.d/site.json", "bad.json", status=65, has=("app/count",))


@case("schema check")
def check(calls: Calls) -> None:
    """Checks schemas, without a service."""
    calls.board.write("work/bad-schema.json", '{ "type": "object", "properties": 7 }')
    calls.run("schema", "check", "../etc/schema.d/site.json")
    calls.run("schema", "check", "bad-schema.json", status=65)


@case("schema export")
def export_schema(calls: Calls) -> None:
    """Prints the schema in force."""
    done = calls.run("schema", "export", form=False, has=("Text on the label.", "hostname"), keep="Text on the label|^  \"app\"")
    expect("the maximum", json.loads(done.output)["properties"]["app"]["properties"]["count"]["maximum"], 1000)


@case("schema list")
def list_schemas(calls: Calls) -> None:
    """Lists the installed schemas."""
    calls.run("schema", "list", has=("sshd", "disabled"))


@case("schema enable")
def enable(calls: Calls) -> None:
    """Enables an installed schema, whose settings exist then."""
    name, path = (("sshd", "services/ssh"), ("services", "services"))[calls.n - 1]
    calls.run("schema", "enable", name)
    expect("the copy", (calls.board.disk / f"etc/schema.d/{name}.json").is_file(), True)
    calls.board.call("dev.cleat.Settings.Describe", prefix=path)


@case("schema disable")
def disable(calls: Calls) -> None:
    """Disables an enabled schema."""
    if calls.board.reply("dev.cleat.Settings.EnableSchema", name="sshd", enabled=True)[0]:
        calls.board.write("etc/schema.d/sshd.json", "{}")
    calls.run("schema", "disable", "sshd")
    expect("the copy", (calls.board.disk / "etc/schema.d/sshd.json").exists(), False)


# MARK: The service


@case("status")
def status(calls: Calls) -> None:
    """Prints the state of the service; newer releases have further lines, sources and counters."""
    calls.board.set({"app/count": calls.n})
    place = str(calls.board.disk / "state")
    calls.run("status", has=("0.1.0", place), keep="^(version|state|root|settings)", drop=_STATUS)
    calls.run("status", "--counters", has=("0.1.0", place, "settings"), keep="^(version|state|root)", drop=_STATUS)


#: The members of the status that are those of one run, or newer.
_STATUS = (
    "pid", "started", "uptime", "observers", "counters", "memory_private", "memory_pss", "memory", "threads", "caller",
    "landlock_abi", "connections")


@case("status network", is_newer=True)
def status_network(calls: Calls) -> None:
    """Prints what configures the network."""
    calls.board.set({"network/interfaces/net7/mtu": 1400})
    calls.run("status", "network", has=("net7",))


@case("status --flash", is_newer=True)
def status_flash(calls: Calls) -> None:
    """Prints what is written to the storage."""
    calls.run("status", "--flash", has=("store",), keep="^$")


@case("doctor")
def doctor(calls: Calls) -> None:
    """Lists no problem, and then a damaged file."""
    calls.run("doctor", keep="findings")
    calls.board.write("etc/locks.d/bad.json5", "{ locks: 7 }")
    calls.board.reply("dev.cleat.Settings.Reload")
    calls.run("doctor", status=1, has=("bad.json5",), keep="bad.json5")
    (calls.board.disk / "etc/locks.d/bad.json5").unlink()
    calls.board.call("dev.cleat.Settings.Reload")


@case("reload")
def reload(calls: Calls) -> None:
    """Has the service read a new schema, and then a damaged one."""
    schema = {"type": "object", "properties": {f"more{calls.n}": {"type": "object", "properties": {"x": {"type": "integer"}}}}}
    calls.board.write("etc/schema.d/more.json", json.dumps(schema))
    calls.run("reload")
    calls.board.set({f"more{calls.n}/x": calls.n})
    calls.board.write("etc/schema.d/other.json", "{")
    calls.run("reload", status=1, has=("other.json",), keep="other.json")
    calls.board.set({f"more{calls.n}/x": None})
    (calls.board.disk / "etc/schema.d/other.json").unlink()


@case("version")
def version(calls: Calls) -> None:
    """Prints both versions."""
    done = calls.run("version", has=("0.1.0",))
    expect("the versions", done.output.count("0.1.0"), 2)


@case("completions")
def completions(calls: Calls) -> None:
    """Prints completions of a shell, without a service."""
    for shell in ("bash", "zsh", "fish"):
        calls.run("completions", shell, form=False, has=("cleat",))
