"""Starts the service on the disk after a power cut, and checks that settings and files are one complete state.

usage: verify_service.py CLEATD PLACE before=N after=N scratch=DIRECTORY

PLACE holds the service's state in `cleat` and the system that it configures in `root`. It prints one JSON object: the
state that was `found`, the names of what was `checked`, the `problems`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from power.service import Service, ServiceFailed
from power.states import SETTINGS, differences, read_tree, tree, values

NEXT = 7001
"""The state that is made after the cut, to check that the service continues."""


class Inspection:
    """The findings of one inspection."""

    def __init__(self, place: Path, allowed: set[int]) -> None:
        self.found: int | None = None
        self.checked: list[str] = []
        self.problems: list[dict[str, str]] = []
        self._place = place
        self._allowed = allowed

    def problem(self, kind: str, text: str) -> None:
        """Adds a problem of a kind: `lost` or `corrupt`."""
        self.problems.append({"kind": kind, "text": text})

    def check(self, service: Service) -> None:
        """Checks the state of a service when it is ready."""
        # The files first: before any request.
        files = read_tree(self._place)
        listed = {one["path"]: one.get("value") for one in service.call("Settings.List", defaults=False)["settings"]}
        found = listed.get(SETTINGS[0])
        number = found if isinstance(found, int) else 0
        self.found = number
        if number not in self._allowed:
            self.problem("lost", f"state {number} is there, not one of {sorted(self._allowed)}")
        self.checked.append("acknowledged")
        settings = [listed.get(path) for path in SETTINGS]
        if settings != values(number):
            self.problem("corrupt", f"the settings are {settings}, which is not a state")
        for line in differences(files, tree(number))[:4]:
            self.problem("corrupt", f"in state {number} {line}")
        self.checked.append("whole")
        status = service.call("Service.Status")
        if trial := status.get("trial"):
            self.problem("corrupt", f"a change of another boot is still on trial: {trial}")
        self.checked.append("no trial")
        # All of them are reports of damage: quarantined files, a restored second copy, an in-memory fallback.
        for note in status["store_notes"]:
            self.problem("lost", f"the store was damaged: {note}")
        self.checked.append("not quarantined")
        numbers = [one["number"] for one in service.call("Settings.Log", limit=100)["generations"]]
        if numbers != list(range(status["generation"], status["generation"] - len(numbers), -1)):
            self.problem("corrupt", f"the history has gaps: {numbers[:20]}")
        self.checked.append("history")

    def change(self, service: Service) -> None:
        """Changes all settings, and then unsets them: the system must be as before the first one."""
        for number in (NEXT, 0):
            service.make(number)
            for line in differences(read_tree(self._place), tree(number))[:4]:
                self.problem("corrupt", f"after the cut, made state {number}: {line}")
        service.stop()
        self.checked.append("goes on")


def main() -> None:
    """Checks, and prints the findings."""
    program, place = Path(sys.argv[1]), Path(sys.argv[2])
    options = dict(word.split("=", 1) for word in sys.argv[3:])
    inspection = Inspection(place, {int(options["before"]), int(options["after"])})
    try:
        with Service(program, place / "cleat", place / "root", Path(options["scratch"])) as service:
            inspection.checked.append("starts")
            inspection.check(service)
            inspection.change(service)
    except ServiceFailed as error:
        inspection.checked.append("starts")
        inspection.problem("corrupt", f"the service failed after the cut: {error}")
    print(json.dumps({"found": inspection.found, "checked": inspection.checked, "problems": inspection.problems}))


if __name__ == "__main__":
    main()
