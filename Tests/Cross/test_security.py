"""The restrictions of the units: each option that systemd rates is set, or the unit gives the reason."""

from __future__ import annotations

import json
import shutil
import subprocess
import unittest
from pathlib import Path

UNITS = Path(__file__).resolve().parents[2] / "deploy/systemd"
#: The largest exposure of each unit, as systemd rates it: 10 is no restriction at all.
EXPOSURE = {"cleatd.service": 9.6, "cleat-location.service": 3.2}


def options(row: dict[str, object]) -> list[str]:
    """Returns the names of the options that a row is about: `User=/DynamicUser=` are two."""
    return [word.partition("=")[0] for word in str(row["name"]).split("=/")]


class SecurityTests(unittest.TestCase):
    """The units, as `systemd-analyze security` reads them."""

    def rows(self, unit: str) -> list[dict[str, object]]:
        """Returns what systemd rates in a unit."""
        if shutil.which("systemd-analyze") is None:
            self.skipTest("there is no systemd-analyze")
        done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--json=short", str(UNITS / unit)],
                              capture_output=True, text=True, check=False, timeout=60)
        if "unrecognized option" in done.stderr:
            self.skipTest("systemd-analyze cannot rate files: it is older than 250")
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(json.loads(done.stdout))

    def test_each_option_is_set_or_explained(self) -> None:
        for unit in EXPOSURE:
            text = (UNITS / unit).read_text(encoding="utf-8")
            missing = [str(row["name"]) for row in self.rows(unit)
                       if row["set"] is False and not any(name in text for name in options(row))]
            self.assertEqual(missing, [], f"{unit} neither sets these nor gives the reason")

    def test_the_exposure_does_not_grow(self) -> None:
        for unit, limit in EXPOSURE.items():
            self.rows(unit)
            done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", f"--threshold={limit * 10:.0f}",
                                   str(UNITS / unit)], capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual(done.returncode, 0, done.stdout[-200:])


if __name__ == "__main__":
    unittest.main()
