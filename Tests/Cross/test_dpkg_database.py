"""The database of an image's packages is the one that dpkg writes when it installs them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "cross"))

from vboard.dpkg_database import write_database  # noqa: E402

#: Files by package: its control files, and files that it installs. No package has scripts: nothing of them is run.
PACKAGES = {
    "one": {
        "DEBIAN/control": "Package: one\nVersion: 1.2-3\nArchitecture: all\nMaintainer: A <a@b.invalid>\n"
                          "Description: first\n more words\n",
        "DEBIAN/md5sums": "2cd6ee2c70b0bde53fbe6cac3c8b8bb1  usr/lib/one/file\n",
        "DEBIAN/conffiles": "/etc/one.conf\n/etc/one.d/more\n",
        "DEBIAN/triggers": "# words\ninterest-noawait /usr/lib/one\ninterest named-one\nactivate-noawait named-two\n",
        "etc/one.conf": "a\n", "etc/one.d/more": "b\n", "usr/lib/one/file": "c\n"},
    "two": {
        "DEBIAN/control": "Package: two\nVersion: 4\nArchitecture: amd64\nMulti-Arch: same\nMaintainer: A <a@b.invalid>\n"
                          "Description: second\n",
        "DEBIAN/md5sums": "60b725f10c9c85c70d97880dfe8191b3  usr/share/two\n",
        "DEBIAN/triggers": "interest /usr/lib/two\ninterest-noawait named-two\n",
        "usr/share/two": "a\n"},
}


def stanzas(text: str) -> dict[str, dict[str, str]]:
    """Returns the fields of each package in `status`."""
    found = {}
    for stanza in filter(None, text.split("\n\n")):
        fields = dict(re.findall(r"(?ms)^([A-Za-z0-9-]+):(.*?)(?=^\S|\Z)", stanza.strip() + "\n"))
        found[fields["Package"].strip()] = {name: value.strip() for name, value in fields.items()}
    return found


class DatabaseTests(unittest.TestCase):
    def setUp(self) -> None:
        if not shutil.which("dpkg"):
            self.skipTest("there is no dpkg")
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="cleat-database-")))

    def make(self, name: str) -> Path:
        """Makes a package, and returns its path."""
        root = self.directory / name
        for path, text in PACKAGES[name].items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        for path in [root, *root.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        deb = self.directory / f"{name}.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", str(root), str(deb)], check=True, capture_output=True,
                       timeout=60)
        return deb

    def test_it_is_the_one_of_dpkg(self) -> None:
        debs = [self.make(name) for name in PACKAGES]
        theirs = self.directory / "root/var/lib/dpkg"
        for name in ("info", "updates", "triggers"):
            (theirs / name).mkdir(parents=True)
        (theirs / "status").touch()
        subprocess.run(
            ["dpkg", f"--root={self.directory / 'root'}", "--force-not-root", "--force-architecture", "--install",
             *map(str, debs)], check=True, capture_output=True, timeout=120)
        ours = self.directory / "ours"
        write_database(debs, ours)
        self.assertEqual(stanzas((ours / "status").read_text()), stanzas((theirs / "status").read_text()))
        for name in ("info", "triggers"):
            found = [{path.name: path.read_bytes() for path in (place / name).iterdir()} for place in (ours, theirs)]
            if name == "triggers":
                # The order in which dpkg notes the triggers' users has no meaning.
                found = [{path: sorted(data.splitlines()) for path, data in files.items()} for files in found]
            self.assertEqual(*found)
        answer = subprocess.run(["dpkg", f"--admindir={ours}", "--audit"], check=True, capture_output=True, timeout=60)
        self.assertEqual(answer.stdout, b"")


if __name__ == "__main__":
    unittest.main()
