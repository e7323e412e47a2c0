"""The programs that Cleat is compared with, each with a store of its own: sqlite3, dconf, gsettings, git config."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from . import settings
from .workspace import Workspace, environment, run

#: The words of a command and its environment.
Command = tuple[list[str], Mapping[str, str] | None]


class SQLite:
    """The sqlite3 program on a table of its own: WAL, every commit flushed."""

    def __init__(self, directory: Path, name: str, count: int) -> None:
        """Makes the table with so many settings."""
        self.file = directory / f"{name}.sqlite"
        rows = "".join(f"INSERT INTO settings VALUES('{path}', '{value}');" for path, value in settings.settings(count))
        run("sqlite3", "-batch", self.file, input=(
            "PRAGMA journal_mode=WAL; CREATE TABLE settings(path TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
            f"BEGIN;{rows}COMMIT;"))

    def commands(self) -> dict[str, Command]:
        """Returns the commands that get, set, set a hundred, and list."""
        one = f"INSERT OR REPLACE INTO settings VALUES('{settings.ONE}', '{{n}}')"
        many = "".join(f"INSERT OR REPLACE INTO settings VALUES('bench/e{i}/mtu', '{{n}}');" for i in range(100))
        texts = {"get": f"SELECT value FROM settings WHERE path = '{settings.ONE}'",
                 "set": f"PRAGMA synchronous=FULL;{one}", "hundred": f"PRAGMA synchronous=FULL;BEGIN;{many}COMMIT",
                 "list": "SELECT path, value FROM settings"}
        return {verb: (["sqlite3", "-batch", str(self.file), text], None) for verb, text in texts.items()}


class Git:
    """git config on a file of its own, which it renames into place without a flush."""

    def __init__(self, directory: Path, name: str, count: int) -> None:
        """Writes the file with so many settings."""
        self.file = directory / f"{name}.gitconfig"
        self._environment = environment({"GIT_CONFIG_NOSYSTEM": 1, "HOME": directory})
        former, lines = "", []
        for path, value in settings.settings(count):
            _, group, leaf = path.split("/")
            if group != former:
                lines.append(f'[bench "{group}"]')
                former = group
            lines.append(f"\t{leaf} = {str(value).lower()}")
        self.file.write_text("\n".join(lines) + "\n")

    def commands(self) -> dict[str, Command]:
        """Returns the commands that get and set."""
        words = ["git", "config", "--file", str(self.file), "bench.e0.mtu"]
        return {"get": (words, self._environment), "set": ([*words, "{n}"], self._environment)}


class DConf:
    """dconf with a bus, a service and a database of its own."""

    _SCHEMA = ('<schemalist><schema id="dev.cleat.bench"><key name="mtu" type="i"><default>1500</default></key>'
               "</schema></schemalist>")

    def __init__(self, workspace: Workspace, directory: Path, name: str, count: int) -> None:
        """Starts the bus and loads so many settings."""
        home = directory / f"{name}.dconf"
        runtime, schemas = (workspace.short / f"{name}.{kind}" for kind in ("xdg", "schemas"))
        for path in (home, runtime, schemas):
            path.mkdir(mode=0o700)
        own = {name: value for name, value in os.environ.items() if not name.startswith(("DBUS_", "XDG_", "DCONF_"))}
        self._environment = own | {
            "HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_CACHE_HOME": str(home), "XDG_DATA_HOME": str(home),
            "XDG_RUNTIME_DIR": str(runtime), "GSETTINGS_BACKEND": "dconf", "GSETTINGS_SCHEMA_DIR": str(schemas)}
        self.bus = workspace.start(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--nosyslog", "--print-address=1",
             f"--address=unix:path={runtime}/bus"],
            env=self._environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.bus.stdout is not None
        self._environment["DBUS_SESSION_BUS_ADDRESS"] = self.bus.stdout.readline().strip()
        self._load(count)
        self._has_schema = self._compile(schemas)

    def _load(self, count: int) -> None:
        former, lines = "", []
        for path, value in settings.settings(count):
            group, _, leaf = path.rpartition("/")
            if group != former:
                lines.append(f"[{group}]")
                former = group
            lines.append(f"{leaf}={str(value).lower() if isinstance(value, bool) else repr(value)}")
        run("dconf", "load", "/", env=self._environment, input="\n".join(lines) + "\n")

    def _compile(self, schemas: Path) -> bool:
        place = f"/usr/lib/{platform.machine()}-linux-gnu/glib-2.0"
        compiler = shutil.which("glib-compile-schemas") or f"{place}/glib-compile-schemas"
        if not Path(compiler).exists() or not shutil.which("gsettings"):
            return False
        (schemas / "bench.gschema.xml").write_text(self._SCHEMA)
        run(compiler, schemas)
        return True

    def commands(self) -> dict[str, Command]:
        """Returns the commands that get, set, and set a hundred."""
        # The text of many settings is read from standard input: a shell writes it.
        text = "\\n".join(f"[bench/e{i}]\\nmtu={{n}}" for i in range(100))
        words = {"get": ["dconf", "read", f"/{settings.ONE}"], "set": ["dconf", "write", f"/{settings.ONE}", "{n}"],
                 "hundred": ["sh", "-c", f"printf '{text}\\n' | dconf load /"]}
        return {verb: (command, self._environment) for verb, command in words.items()}

    def gsettings(self) -> dict[str, Command]:
        """Returns the same by gsettings; nothing without its schema."""
        if not self._has_schema:
            return {}
        key = ["dev.cleat.bench:/bench/e0/", "mtu"]
        return {"get": (["gsettings", "get", *key], self._environment),
                "set": (["gsettings", "set", *key, "{n}"], self._environment)}


def peers(workspace: Workspace, directory: Path, name: str, count: int) -> dict[str, dict[str, Command]]:
    """Returns the commands of each installed peer, with so many settings in its store."""
    found = {}
    if shutil.which("sqlite3"):
        found["sqlite3"] = SQLite(directory, name, count).commands()
    if shutil.which("git"):
        found["git config"] = Git(directory, name, count).commands()
    if shutil.which("dconf") and shutil.which("dbus-daemon"):
        dconf = DConf(workspace, directory, name, count)
        found["dconf"] = dconf.commands()
        if dconf.gsettings():
            found["gsettings"] = dconf.gsettings()
    return found


def missing() -> dict[str, str]:
    """Returns the peers that are not installed, with the reason."""
    packages = {"sqlite3": "sqlite3", "git": "git", "dconf": "dconf-cli", "gsettings": "libglib2.0-bin"}
    found = {program: f"{program} is not installed: apt-get install {package}"
             for program, package in packages.items() if not shutil.which(program)}
    return found | {"uci, ubus": "Debian and Ubuntu do not have them"}
