"""The Debian package in a system of its own: installed, upgraded, downgraded, removed and purged by its own dpkg."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from package_support import ARCH, listed, make_packages  # noqa: E402
from packages.inputs import DEBIAN  # noqa: E402
from toolchain.sqlite_source import mirrors  # noqa: E402

SUITE = "bookworm"
#: The parts of a system that mark a running systemd, with programs that only write down how they are called.
SYSTEMD = {
    "usr/local/bin/systemctl": '#!/bin/sh\necho "systemctl $*" >>/calls\ncase "$*" in *is-enabled*) echo enabled ;; esac\n',
    "usr/sbin/policy-rc.d": '#!/bin/sh\necho "policy $*" >>/calls\nexit "$(cat /policy)"\n',
}
#: Its own names of mounts and processes; nothing is mounted from this machine except for /dev/null and such.
NAMESPACE = """
set -e
mount --make-rprivate /
mount -t proc none "$1/proc"
mount -t tmpfs none "$1/run"
if [ -n "$2" ]; then mkdir -p "$1/run/systemd/system"; fi
root=$1
shift 2
exec chroot "$root" "$@"
"""


class ChrootTests(unittest.TestCase):
    """A minimal Debian without systemd, and one that looks as if systemd ran."""

    base: Path
    clean: Path
    debs: dict[str, Path]

    @classmethod
    def setUpClass(cls) -> None:
        cls.base = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="cleat-chroot-")))
        if os.geteuid() != 0:
            raise unittest.SkipTest("only root makes a root file system that dpkg can be used in")
        if not shutil.which("mmdebstrap"):
            raise unittest.SkipTest("there is no mmdebstrap")
        cls.base.chmod(0o755)
        cls.clean = cls.base / "clean"
        answer = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "mmdebstrap", "--quiet", "--variant=essential",
             "--include=passwd", f"--architectures={DEBIAN[ARCH]}", SUITE, str(cls.clean), mirrors()[0]],
            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=900)
        if answer.returncode:
            raise unittest.SkipTest(f"mmdebstrap failed: {answer.stderr.strip()[-300:]}")
        cls.debs = {version: next(make_packages(cls.base, cls.base / version, "--version", version).glob("*.deb"))
                    for version in ("0.1.0", "0.2.0")}

    def setUp(self) -> None:
        self.root = self.base / self.id().rpartition(".")[2]
        subprocess.run(["cp", "-a", str(self.clean), str(self.root)], check=True, timeout=120)
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        for version, deb in self.debs.items():
            shutil.copy(deb, self.root / f"{version}.deb")
        self.before = listed(self.root)
        self.systemd = False

    def run_in(self, *words: str) -> str:
        """Runs a command in the system and returns its output."""
        answer = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--uts", "--ipc", "sh", "-c", NAMESPACE, "namespace", str(self.root),
             "yes" if self.systemd else "", *words],
            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=120,
            env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
                 "DEBIAN_FRONTEND": "noninteractive"})
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
        return answer.stdout + answer.stderr

    def write_state(self) -> Path:
        """Writes a store and a configuration, as the service and the administrator do."""
        for path in ("var/lib/cleat/store", "etc/cleat/cleatd.json5"):
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text("{}")
        return self.root / "var/lib/cleat/store"

    def pretend_systemd(self, policy: int) -> None:
        """Makes the system look as if systemd ran, with a policy for its services."""
        self.systemd = True
        for name, script in SYSTEMD.items():
            (self.root / name).write_text(script)
            (self.root / name).chmod(0o755)
        (self.root / "policy").write_text(f"{policy}\n")

    def calls(self) -> list[str]:
        """Returns the actions on units since the last call."""
        path = self.root / "calls"
        made = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return [re.sub(r"--(quiet|system) ", "", line) for line in made
                if line.startswith("systemctl") and re.search(r" (re|try-re)?(start|stop) ", line)]

    def test_install_upgrade_downgrade_remove_purge(self) -> None:
        self.run_in("dpkg", "--install", "0.1.0.deb")
        self.assertRegex((self.root / "etc/group").read_text(), r"(?m)^cleat:x:[0-9]+:cleat-location$")
        self.assertRegex((self.root / "etc/group").read_text(), r"(?m)^dialout:.*cleat-location")
        self.assertTrue((self.root / "etc/systemd/system/sysinit.target.wants/cleatd.service").is_symlink())
        store = self.write_state()
        for version in ("0.2.0", "0.1.0", "0.1.0"):
            self.run_in("dpkg", "--install", f"{version}.deb")
            self.assertIn(f"Version: {version}\n", self.run_in("dpkg", "--status", "cleat"))
            self.assertEqual(store.read_text(), "{}")
        self.assertEqual(self.run_in("dpkg", "--verify", "cleat"), "")
        self.run_in("dpkg", "--remove", "cleat")
        self.assertEqual(store.read_text(), "{}")
        self.assertTrue((self.root / "etc/cleat/cleatd.json5").exists())
        self.run_in("dpkg", "--purge", "cleat")
        # What dpkg, deb-systemd-helper and useradd keep for themselves.
        kept = {"etc/systemd", "etc/systemd/system", "etc/systemd/system/sysinit.target.wants", "var/lib/systemd",
                "var/lib/systemd/deb-systemd-helper-enabled", "var/lib/systemd/deb-systemd-helper-masked"}
        remaining = {name for name in listed(self.root) - self.before - kept if not re.match(r"etc/[a-z]+-$", name)}
        self.assertEqual(remaining, set())
        self.assertEqual(self.before - listed(self.root), set())

    def test_services_start_restart_and_stop(self) -> None:
        self.pretend_systemd(0)
        self.run_in("dpkg", "--install", "0.1.0.deb")
        self.assertEqual(self.calls(), ["systemctl start cleatd.service"])
        self.write_state()
        for version in ("0.2.0", "0.1.0"):
            self.run_in("dpkg", "--install", f"{version}.deb")
            self.assertEqual(self.calls(), ["systemctl restart cleatd.service", "systemctl restart cleat-location.service"])
        self.run_in("dpkg", "--remove", "cleat")
        self.assertEqual(self.calls(), ["systemctl stop cleat-location.service", "systemctl stop cleatd.service"])
        self.run_in("dpkg", "--purge", "cleat")
        self.assertEqual(self.calls(), [])

    def test_a_policy_keeps_services_from_starting(self) -> None:
        self.pretend_systemd(101)
        for words in (("--install", "0.1.0.deb"), ("--install", "0.2.0.deb"), ("--remove", "cleat"), ("--purge", "cleat")):
            self.run_in("dpkg", *words)
        self.assertEqual(self.calls(), [])


if __name__ == "__main__":
    unittest.main()
