"""The examples of images: RAUC, systemd and findmnt read them without a complaint."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLES = REPOSITORY / "deploy/examples/images"
#: The directory into which `.ci/setup test` unpacks RAUC.
UNPACKED = REPOSITORY / ".build-rauc"
GENERATOR = next((path for path in (Path("/usr/lib/systemd/system-generators/systemd-fstab-generator"),
                                    Path("/lib/systemd/system-generators/systemd-fstab-generator")) if path.exists()), None)
#: The complaints of `findmnt --verify` about devices and directories that this machine does not have.
ABSENT = re.compile(r"\[[EW]\] (unreachable |cannot detect on-disk filesystem type)")


class ImageExampleTests(unittest.TestCase):
    """The files in deploy/examples/images."""

    def setUp(self) -> None:
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="cleat-images-")))

    def rauc(self, configuration: Path) -> str:
        """Returns what RAUC prints when it reads a configuration to write to a slot that does not exist."""
        program = UNPACKED / "usr/bin/rauc" if (UNPACKED / "usr/bin/rauc").exists() else shutil.which("rauc")
        if program is None:
            self.skipTest("there is no rauc; .ci/setup test unpacks it")
        libraries = ":".join(str(path) for path in UNPACKED.glob("usr/lib/*-linux-gnu"))
        environment = {**os.environ, "LC_ALL": "C", "LD_LIBRARY_PATH": libraries}
        if subprocess.run([str(program), "--version"], env=environment, capture_output=True, check=False, timeout=60).returncode:
            self.skipTest("rauc does not run: a library is missing")
        image = self.directory / "image"
        image.touch()
        # RAUC makes the directory of its state: here below the test's own, not in the machine's /data.
        text = configuration.read_text(encoding="utf-8")
        self.assertIn("=/data/", text)
        moved = self.directory / "moved.conf"
        moved.write_text(text.replace("=/data/", f"={self.directory}/data/"), encoding="utf-8")
        answer = subprocess.run([str(program), "-c", str(moved), "write-slot", "rootfs.9", str(image)], env=environment,
                                capture_output=True, text=True, check=False, timeout=60)
        return answer.stdout + answer.stderr

    def test_rauc_accepts_the_configuration(self) -> None:
        self.assertIn("No matching slot found", self.rauc(EXAMPLES / "rauc/system.conf"))
        wrong = self.directory / "system.conf"
        wrong.write_text((EXAMPLES / "rauc/system.conf").read_text().replace("bootname=A", "boot-name=A"))
        self.assertIn("Invalid key 'boot-name'", self.rauc(wrong))

    def test_the_data_partition_is_not_a_slot(self) -> None:
        devices = re.findall(r"^device=.*/(\S+)$", (EXAMPLES / "rauc/system.conf").read_text(), re.MULTILINE)
        self.assertEqual(devices, ["root-a", "root-b"])
        self.assertIn("LABEL=data ", (EXAMPLES / "rauc/fstab").read_text())

    def test_findmnt_accepts_the_tables(self) -> None:
        if not shutil.which("findmnt"):
            self.skipTest("there is no findmnt")
        for path in sorted(EXAMPLES.rglob("fstab")):
            answer = subprocess.run(["findmnt", "--verify", "--tab-file", str(path)], capture_output=True, text=True, check=False,
                                    timeout=60, env={**os.environ, "LC_ALL": "C"})
            lines = (answer.stdout + answer.stderr).splitlines()
            self.assertTrue(any(line.startswith("0 parse errors") for line in lines), lines)
            self.assertEqual([line for line in lines if re.search(r"\[[EW]\]", line) and not ABSENT.search(line)], [], path)

    def units(self, table: Path) -> dict[str, str]:
        """Returns the units that systemd makes of a table, by their paths."""
        if GENERATOR is None:
            self.skipTest("there is no systemd-fstab-generator")
        output = self.directory / table.parent.name
        output.mkdir()
        subprocess.run([str(GENERATOR), *[str(output)] * 3], check=True, capture_output=True, timeout=60,
                       env={"SYSTEMD_FSTAB": str(table), "SYSTEMD_PROC_CMDLINE": ""})
        return {path.relative_to(output).as_posix(): "" if path.is_symlink() else path.read_text()
                for path in output.rglob("*") if path.is_symlink() or path.is_file()}

    def test_a_broken_data_partition_of_the_example_for_rauc_does_not_end_the_boot(self) -> None:
        units = self.units(EXAMPLES / "rauc/fstab")
        # systemd orders neither of them before local-fs.target.
        self.assertIn("After=var-lib-cleat.mount", (EXAMPLES / "rauc/mount.conf").read_text().splitlines())
        for name in ("data.mount", "var-lib-cleat.mount"):
            self.assertIn(f"local-fs.target.wants/{name}", units)
            self.assertNotIn(f"local-fs.target.requires/{name}", units)

    def test_the_read_only_root_needs_its_data_partition(self) -> None:
        units = self.units(EXAMPLES / "read-only/fstab")
        for name in ("data.mount", "var-lib-cleat.mount", "etc.mount"):
            self.assertIn(f"local-fs.target.requires/{name}", units)

    def test_systemd_accepts_the_mount_unit(self) -> None:
        if not shutil.which("systemd-analyze"):
            self.skipTest("there is no systemd-analyze")
        answer = subprocess.run(["systemd-analyze", "verify", "--man=no", str(EXAMPLES / "rauc/var-lib-cleat.mount")],
                                capture_output=True, text=True, check=False, timeout=120)
        lines = [line for line in (answer.stdout + answer.stderr).splitlines() if "cleat" in line]
        self.assertEqual((answer.returncode, lines), (0, []))

    def test_the_configuration_of_the_agent_is_json5_with_known_members(self) -> None:
        known = set(re.findall(r"^\s*(?:// )?(\w+):", (REPOSITORY / "deploy/examples/cleatd.json5").read_text(), re.MULTILINE))
        for path in sorted(EXAMPLES.rglob("cleatd.json5")):
            text = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.MULTILINE)
            text = re.sub(r",(\s*\})", r"\1", re.sub(r"(\w+): ", r'"\1": ', text))
            self.assertLessEqual(set(json.loads(text)), known | {"state"})


if __name__ == "__main__":
    unittest.main()
