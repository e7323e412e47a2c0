"""Images of boards are built by an ordinary user, and two builds of the bare one are the same byte by byte."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from boards import LACKS, ROOT  # noqa: E402
from vboard import image  # noqa: E402

#: Builds from packages that are there already: no network, and no rights but those of the user that runs it.
BUILD = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
assert os.geteuid() != 0, "this is root"
from vboard import image
place = Path(sys.argv[3])
(place / "made").mkdir()
image.KINDS[sys.argv[2]].build([Path(path) for path in sys.argv[4:]], place / "made", place / "work")
"""


NOBODY: dict[str, object] = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}


@unittest.skipIf(LACKS, f"no virtual board: {LACKS}")
class OrdinaryUserTests(unittest.TestCase):
    """Builds as `nobody` where root runs the tests, and as the user that does otherwise."""

    def setUp(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="cleat-images-"))
        self.addCleanup(shutil.rmtree, self.place, ignore_errors=True)
        self.place.chmod(0o755)

    def python(self) -> str:
        """A Python that this user may start: root's own may be in a directory without access for other users."""
        for python in (sys.executable, "/usr/bin/python3"):
            try:
                subprocess.run([python, "-c", "import hashlib; hashlib.file_digest"], check=True, capture_output=True,
                               timeout=60, cwd="/", **NOBODY)
                return python
            except (OSError, subprocess.CalledProcessError):
                continue
        self.skipTest("an ordinary user has no Python 3.11 or newer here")

    def build(self, name: str) -> Path:
        """Builds an image from the packages of the one in the cache; returns its directory."""
        found = image.find(name)
        if found is None:
            self.skipTest(f"the {name} image is not in the cache; cross/vboard/images {name} makes it")
        debs = []
        for line in (found.directory / "packages").read_text().splitlines():
            source = image.store() / "debs" / f"{line.split()[2]}.deb"
            if not source.exists():
                self.skipTest(f"the packages of the {name} image are not in the cache any more")
            debs.append(Path(shutil.copy(source, self.place)))
        shutil.copytree(ROOT / "cross", self.place / "cross", ignore=shutil.ignore_patterns("__pycache__"))
        work = self.place / "build"
        (work / "work").mkdir(parents=True)
        if os.geteuid() == 0:
            for path in (work, work / "work"):
                os.chown(path, NOBODY["user"], NOBODY["group"])
        done = subprocess.run(
            [self.python(), "-c", BUILD, str(self.place / "cross"), name, str(work), *map(str, debs)],
            capture_output=True, text=True, timeout=900, stdin=subprocess.DEVNULL, cwd=work, **NOBODY,
            env={**os.environ, "HOME": str(work), "TMPDIR": str(work), "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return work / "made"

    def test_the_bare_one_and_it_is_the_same_again(self) -> None:
        made = self.build("bare")
        found = image.find("bare")
        assert found is not None
        for part in ("kernel", "initramfs"):
            digests = [hashlib.sha256((place / part).read_bytes()).hexdigest() for place in (made, found.directory)]
            self.assertEqual(digests[0], digests[1], f"two builds of the same packages give another {part}")

    def test_the_debian_one_with_the_owners_and_modes_of_its_files(self) -> None:
        made = self.build("debian")
        for path, owner, mode in (("/usr/bin/mount", 0, "4755"), ("/home/tester", 1000, "755"),
                                  ("/etc/shadow", 0, "640"), ("/usr/sbin/vboard-agent", 0, "755")):
            said = subprocess.run(
                ["debugfs", "-R", f"stat {path}", str(made / "root.ext4")], capture_output=True, text=True, check=True,
                env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}, timeout=60).stdout
            self.assertRegex(said, rf"Mode: +0*{mode}\b", path)
            self.assertRegex(said, rf"User: +{owner}\b", path)


if __name__ == "__main__":
    unittest.main()
