"""Tests of `cross/package`: the Debian package, the tarball and its installation script, in directories of their own."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from package_support import ARCH, EPOCH, REPOSITORY, listed, make_packages, package, write_elves, write_programs  # noqa: E402
from packages import markdown, spdx  # noqa: E402
from packages.changelog import debian_changelog  # noqa: E402
from packages.inputs import DEBIAN, Release, find_release  # noqa: E402
from packages.manual import manual_pages  # noqa: E402
from packages.roff import Page, escape, inline  # noqa: E402
from packages.texts import Programs, Texts, find_texts  # noqa: E402
from toolchain.budget import PRODUCTS  # noqa: E402
from toolchain.failure import Failure  # noqa: E402

BUSYBOX = next((path for path in (REPOSITORY / ".build-busybox/busybox", Path(shutil.which("busybox") or "/nonexistent"))
                if path.is_file()), None)
#: The shells that run the tarball's script.
SHELLS: list[tuple[str, ...]] = [("sh",), *([(str(BUSYBOX), "ash")] if BUSYBOX else [])]
#: Whatever a faulty script does, this machine's directories cannot be written in the namespace.
PROTECTED = """
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
for directory in /etc /usr /var /opt /root /home; do
    [ -d "$directory" ] || continue
    case $1/ in "$directory"/*) continue ;; esac
    mount --bind "$directory" "$directory"
    mount -o remount,bind,ro "$directory" 2>/dev/null || mount -t tmpfs -o ro none "$directory"
done
shift
exec "$@"
"""


#: The directories that a purge removes.
PURGED = ("var/lib/cleat", "etc/cleat", "run/cleat")
#: Mounts a file system with a store on the directory in $1, runs the rest, and requires an empty mount point.
MOUNTED = """
mount -t tmpfs none "$1" || exit 90
mkdir -p "$1/blobs"
touch "$1/store" "$1/blobs/.secret"
mount=$1
shift
"$@" || exit
[ -z "$(ls -A "$mount")" ] || exit 91
"""
#: The same with a second file system in the first one, which a purge does not enter.
NESTED = """
mkdir "$1/inner"
mount -t tmpfs none "$1/inner" || exit 90
touch "$1/inner/file"
mount=$1
shift
"$@"
status=$?
[ -e "$mount/inner/file" ] && [ "$(ls -A "$mount")" = inner ] || exit 91
exit $status
"""


def protected(base: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a command that can write below a directory only."""
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return subprocess.run(
        ["unshare", "--mount", *user, "sh", "-c", PROTECTED, "protected", str(base), *words], capture_output=True, text=True,
        timeout=120, check=False, stdin=subprocess.DEVNULL, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"})


def state(directory: Path) -> dict[str, tuple[int, bytes | str]]:
    """Returns the modes and contents of everything below a directory."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for path in sorted(directory.rglob("*")):
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else ""
        found[str(path.relative_to(directory))] = (path.lstat().st_mode, content)
    return found


def unpack_tarball(made: Path, directory: Path) -> Path:
    """Unpacks the tarball of a directory of packages, and returns its top directory."""
    with tarfile.open(next(made.glob("*-linux-*.tar.xz"))) as archive:
        archive.extractall(directory, filter="data")
    return directory / f"cleat-{find_release().version}-linux-{ARCH}"


class WithDirectory(unittest.TestCase):
    """A directory of the test's own."""

    def setUp(self) -> None:
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="cleat-packages-")))


class WithTarball(WithDirectory):
    """A directory of the test's own, and packages that all tests of the class share."""

    made: Path

    @classmethod
    def setUpClass(cls) -> None:
        if not shutil.which("dpkg-deb"):
            raise unittest.SkipTest("there is no dpkg-deb")
        base = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="cleat-packages-")))
        cls.made = make_packages(base, base / "made")


class PackageTests(unittest.TestCase):
    """The files that `cross/package` writes for both architectures."""

    base: Path
    made: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.base = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="cleat-packages-")))
        if not shutil.which("dpkg-deb"):
            raise unittest.SkipTest("there is no dpkg-deb")
        cls.made = make_packages(cls.base, cls.base / "made", archs=tuple(DEBIAN))

    def contents(self, arch: str) -> dict[str, tarfile.TarInfo]:
        """Returns the members of a package by their paths."""
        deb = self.made / f"cleat_{find_release().debian_version}_{DEBIAN[arch]}.deb"
        answer = subprocess.run(["dpkg-deb", "--fsys-tarfile", str(deb)], capture_output=True, check=True)
        with tarfile.open(fileobj=io.BytesIO(answer.stdout)) as archive:
            return {member.name.removeprefix("./"): member for member in archive}

    def test_a_second_run_elsewhere_is_the_same_byte_by_byte(self) -> None:
        other = make_packages(self.base / "another", self.base / "other", archs=tuple(DEBIAN))
        names = sorted(path.name for path in self.made.iterdir())
        self.assertEqual(len(names), 7)
        self.assertEqual(names, sorted(path.name for path in other.iterdir()))
        for name in names:
            self.assertEqual((self.made / name).read_bytes(), (other / name).read_bytes(), name)

    def test_the_package_has_its_files_with_their_modes(self) -> None:
        for arch in DEBIAN:
            members = self.contents(arch)
            for path in (*(f"usr/bin/{name}" for name in PRODUCTS), "usr/share/cleat/schemas/sshd"):
                self.assertEqual(members[path].mode, 0o755, path)
            for path in (
                    "usr/lib/systemd/system/cleatd.service", "usr/lib/systemd/system/cleatd-retry.timer",
                    "usr/lib/systemd/system/cleat-location.service", "usr/lib/systemd/system-preset/50-cleat.preset",
                    "usr/lib/sysusers.d/cleat.conf",
                    "usr/share/cleat/schemas/sshd.json", "usr/share/cleat/varlink/dev.cleat.Settings.varlink",
                    "usr/share/bash-completion/completions/cleat", "usr/share/zsh/vendor-completions/_cleat",
                    "usr/share/fish/vendor_completions.d/cleat.fish", "usr/share/doc/cleat/copyright",
                    "usr/share/doc/cleat/changelog.gz", "usr/share/doc/cleat/examples/cleatd.json5",
                    "usr/share/man/man1/cleat.1.gz", "usr/share/man/man1/cleat-set.1.gz", "usr/share/man/man8/cleatd.8.gz",
                    "usr/share/man/man8/cleat-location.8.gz", "usr/share/man/man5/cleatd.json5.5.gz",
                    "usr/share/man/man5/hooks.d.5.gz", "usr/share/man/man5/schema.d.5.gz"):
                self.assertEqual(members[path].mode, 0o644, path)
            for path, member in members.items():
                self.assertEqual((member.uid, member.gid, member.mtime), (0, 0, int(EPOCH)), path)
                self.assertFalse(path.startswith(("etc", "var")), path)
                self.assertTrue(member.isfile() or member.mode == 0o755, path)

    def test_the_unit_starts_the_program_that_the_package_has(self) -> None:
        unit = (REPOSITORY / "deploy/systemd/cleatd.service").read_text()
        self.assertIn("ExecStart=/usr/bin/cleatd\n", unit)

    def test_checksums_and_the_spdx_document_name_all_files(self) -> None:
        lines = [line.split("  ") for line in (self.made / "SHA256SUMS").read_text().splitlines()]
        sums = {name: digest for digest, name in lines}
        self.assertEqual(set(sums), {path.name for path in self.made.iterdir()} - {"SHA256SUMS"})
        for name, digest in sums.items():
            self.assertEqual(hashlib.sha256((self.made / name).read_bytes()).hexdigest(), digest)
        document = json.loads((self.made / f"cleat-{find_release().version}.spdx.json").read_text())
        elements = [one["SPDXID"] for kind in ("packages", "files") for one in document[kind]]
        self.assertEqual(len(elements), len(set(elements)))
        for relation in document["relationships"]:
            self.assertLess({relation["spdxElementId"], relation["relatedSpdxElement"]}, {"SPDXRef-DOCUMENT", *elements})
        packages = {one["name"]: one for one in document["packages"]}
        self.assertIn("versionInfo", packages["swift-argument-parser"])
        self.assertEqual(packages["sqlite"]["versionInfo"], "3.46.1")
        for name in sums:
            if not name.endswith(".json"):
                self.assertIn({"algorithm": "SHA256", "checksumValue": sums[name]}, packages[name]["checksums"])
                self.assertTrue(packages[name]["hasFiles"])

    def test_lintian_has_no_tags(self) -> None:
        if not shutil.which("lintian"):
            self.skipTest("there is no lintian")
        answer = subprocess.run(
            ["lintian", "--allow-root", "--no-cfg", "--display-info", "--pedantic", *map(str, self.made.glob("*.deb"))],
            capture_output=True, text=True, check=False, timeout=300)
        # Programs without code have no words that are spelled wrongly.
        tags = [line for line in answer.stdout.splitlines()
                if not line.startswith("N:") and "unused-override spelling" not in line]
        self.assertEqual((tags, answer.returncode), ([], 0), answer.stderr)

    def test_maintainer_scripts_and_the_installation_script_are_posix_shell(self) -> None:
        if not shutil.which("shellcheck"):
            self.skipTest("there is no shellcheck")
        scripts = [*(REPOSITORY / "deploy/debian").glob("p*"), REPOSITORY / "deploy/install.sh",
                   REPOSITORY / "deploy/examples/images/read-only/preinit"]
        init = [REPOSITORY / "deploy" / name for name in ("busybox/S15cleatd", "openrc/cleatd", "procd/cleatd")]
        # Variables that the caller of a script reads, `local`, and the modes of directories that are there.
        known = ["--exclude", "SC1090,SC2034,SC2154,SC2174,SC3043"]
        for words in (scripts, [*known, *init]):
            answer = subprocess.run(
                ["shellcheck", "--shell", "sh", *map(str, words)], capture_output=True, text=True, check=False, timeout=120)
            self.assertEqual(answer.stdout, "")


class MaintainerScriptTests(WithDirectory):
    """Installations into a directory (`dpkg --root`), on a machine that cannot be written to."""

    def setUp(self) -> None:
        super().setUp()
        if not shutil.which("dpkg") or not shutil.which("deb-systemd-helper"):
            self.skipTest("this is not Debian or one of its descendants")
        if protected(self.directory, "sh", "-c", "! touch /etc/cleat-probe 2>/dev/null").returncode:
            self.skipTest("there are no mount namespaces")
        self.root = self.directory / "root"
        for name in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers", "etc", "run/cleat"):
            (self.root / name).mkdir(parents=True)
        for name in ("status", "available"):
            (self.root / "var/lib/dpkg" / name).touch()
        (self.root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
        (self.root / "etc/group").write_text("root:x:0:\ndialout:x:20:\n")

    def dpkg(self, *words: str) -> str:
        """Runs dpkg on the root, and returns its output."""
        answer = protected(
            self.directory, "dpkg", f"--root={self.root}", "--force-script-chrootless", "--force-depends", *words)
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
        return answer.stdout + answer.stderr

    def deb(self, version: str) -> str:
        """Makes a package of a version, and returns its path."""
        made = make_packages(self.directory, self.directory / version, "--version", version)
        return str(next(made.glob("*.deb")))

    def test_the_store_stays_until_the_purge_which_removes_everything(self) -> None:
        older, newer = self.deb("0.1.0"), self.deb("0.2.0-rc.1")
        before = listed(self.root)
        self.dpkg("--install", older)
        self.assertIn("cleat:", (self.root / "etc/group").read_text())
        self.assertRegex((self.root / "etc/group").read_text(), r"(?m)^dialout:.*cleat-location")
        wanted = self.root / "etc/systemd/system/sysinit.target.wants/cleatd.service"
        self.assertTrue(wanted.is_symlink())
        self.assertFalse((self.root / "etc/systemd/system/multi-user.target.wants/cleat-location.service").is_symlink())
        store = self.root / "var/lib/cleat/store"
        hook = self.root / "etc/cleat/hooks.d/10-mine.json5"
        for path in (store, hook, self.root / "run/cleat/state"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("precious")
        for deb in (newer, newer, older):
            self.dpkg("--install", deb)
            self.assertEqual((store.read_text(), hook.read_text()), ("precious", "precious"))
            self.assertEqual((self.root / "etc/group").read_text().count("cleat:"), 1)
        wanted.unlink()
        self.dpkg("--install", newer)
        self.assertFalse(wanted.is_symlink(), "a unit that was disabled is enabled again")
        self.dpkg("--remove", "cleat")
        self.assertEqual((store.read_text(), hook.read_text()), ("precious", "precious"))
        self.assertFalse((self.root / "usr/bin/cleatd").exists())
        self.dpkg("--purge", "cleat")
        remaining = {name for name in listed(self.root) if "cleat" in name}
        self.assertEqual(remaining, set())
        self.assertIn("run/cleat", before)

    def write_purged(self) -> None:
        """Writes a file into each directory that a purge removes."""
        for name in PURGED:
            (self.root / name).mkdir(parents=True, exist_ok=True)
            (self.root / name / "file").write_text("precious")

    def test_a_purge_removes_the_contents_of_a_mount_point_and_of_the_target_of_a_link(self) -> None:
        self.dpkg("--install", self.deb("0.1.0"))
        self.write_purged()
        (self.root / "etc/cleat").rename(self.root / "data")
        (self.root / "etc/cleat").symlink_to("../data")
        answer = protected(
            self.directory, "sh", "-c", MOUNTED, "mounted", str(self.root / "var/lib/cleat"), "dpkg", f"--root={self.root}",
            "--force-script-chrootless", "--force-depends", "--purge", "cleat")
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
        self.assertFalse((self.root / "data").exists())
        self.assertFalse((self.root / "etc/cleat").is_symlink())
        self.assertFalse((self.root / "run/cleat").exists())

    def purge(self, *prefix: str) -> subprocess.CompletedProcess[str]:
        """Runs postrm for the root as dpkg does at a purge."""
        return protected(self.directory, *prefix, "env", f"DPKG_ROOT={self.root}", "sh",
                         str(REPOSITORY / "deploy/debian/postrm"), "purge")

    def test_a_purge_goes_on_when_a_directory_cannot_be_emptied(self) -> None:
        self.write_purged()
        answer = self.purge("sh", "-c", NESTED, "nested", str(self.root / "var/lib/cleat"))
        self.assertEqual(answer.returncode, 1, answer.stdout + answer.stderr)
        self.assertIn("could not be removed", answer.stderr)
        self.assertFalse((self.root / "etc/cleat").exists() or (self.root / "run/cleat").exists())
        (self.root / "etc/cleat").symlink_to(".")
        self.assertIn("which other programs use", self.purge().stderr)
        self.assertTrue((self.root / "etc/group").exists())

    def test_a_purge_does_not_follow_links_out_of_the_root(self) -> None:
        outside = self.directory / "outside"
        outside.mkdir()
        for link in ("var/lib", "var/lib/cleat", "run/cleat"):
            with self.subTest(link=link):
                self.write_purged()
                self.assertEqual(self.purge().returncode, 0)
                self.write_purged()
                (self.root / link).rename(self.directory / "former")
                (self.root / link).symlink_to(outside)
                (outside / "cleat").mkdir(exist_ok=True)
                (outside / "cleat/file").write_text("of the host")
                before = state(self.directory)
                answer = self.purge()
                self.assertEqual(answer.returncode, 1, answer.stdout + answer.stderr)
                self.assertIn("is not below", answer.stderr)
                self.assertEqual(state(self.directory), before)
                (self.root / link).unlink()
                (self.directory / "former").rename(self.root / link)

    def test_the_package_and_the_tarball_follow_each_other(self) -> None:
        deb = self.deb("0.1.0")
        top = unpack_tarball(make_packages(self.directory, self.directory / "made"), self.directory)

        def install(*words: str) -> tuple[int, str]:
            answer = protected(self.directory, str(top / "install.sh"), "--root", str(self.root), *words)
            return answer.returncode, answer.stdout + answer.stderr

        self.dpkg("--install", deb)
        before = state(self.root)
        for words in (("--init", "systemd"), ("--uninstall",)):
            status, output = install(*words)
            self.assertEqual(status, 1, output)
            self.assertIn("remove it with dpkg or apt", output)
        self.assertEqual(state(self.root), before)
        self.dpkg("--remove", "cleat")
        # The state of a package that was removed, but not purged.
        self.assertTrue((self.root / "var/lib/dpkg/info/cleat.list").exists())
        self.assertEqual(install("--init", "systemd")[0], 0)
        self.write_purged()
        self.assertIn("its settings and configuration stay", self.dpkg("--purge", "cleat"))
        self.assertTrue((self.root / "var/lib/cleat/file").exists())
        self.assertTrue((self.root / "etc/systemd/system/sysinit.target.wants/cleatd.service").is_symlink())
        self.assertEqual(install("--init", "openrc")[0], 0)
        outside = self.directory / "outside"
        outside.write_text("of the host")
        manifest = self.root / "usr/share/cleat/installed-files"
        manifest.write_text(f"/../outside\n/etc/../../outside\n{manifest.read_text()}")
        self.dpkg("--install", deb)
        for name in ("etc/init.d/cleatd", "etc/runlevels/boot/cleatd", "usr/share/doc/cleat/LICENSE",
                     "usr/share/cleat/installed-files", "usr/share/zsh/site-functions/_cleat"):
            self.assertFalse((self.root / name).is_symlink() or (self.root / name).exists(), name)
        for name in ("usr/bin/cleatd", "usr/share/cleat/schemas/sshd"):
            self.assertTrue((self.root / name).exists(), name)
        self.assertEqual(outside.read_text(), "of the host")
        self.dpkg("--purge", "cleat")
        remaining = {name for name in listed(self.root) if "cleat" in name}
        self.assertEqual(remaining, set())


class InstallScriptTests(WithTarball):
    """The tarball's `install.sh`, with this machine's shell and BusyBox's."""

    def setUp(self) -> None:
        super().setUp()
        self.top = unpack_tarball(self.made, self.directory)
        self.root = self.directory / "a root"
        (self.root / "etc/init.d").mkdir(parents=True)
        (self.root / "etc/group").write_text("root:x:0:\nother:x:999:\n")
        (self.root / "var/lib/cleat").mkdir(parents=True)
        (self.root / "var/lib/cleat/store").write_text("precious")

    def install(self, *words: str, shell: tuple[str, ...] = ("sh",), status: int = 0) -> str:
        """Runs the script on the root, and returns what it prints."""
        answer = subprocess.run(
            [*shell, str(self.top / "install.sh"), "--root", str(self.root), *words], capture_output=True, text=True,
            check=False, stdin=subprocess.DEVNULL, timeout=120)
        self.assertEqual(answer.returncode, status, answer.stdout + answer.stderr)
        return answer.stdout + answer.stderr

    def test_each_init_system_with_each_shell(self) -> None:
        for shell in SHELLS:
            for init, path in (
                    ("systemd", "etc/systemd/system/sysinit.target.wants/cleatd.service"), ("openrc", "etc/init.d/cleatd"),
                    ("busybox", "etc/init.d/S15cleatd")):
                with self.subTest(shell=shell, init=init):
                    self.install("--init", init, shell=shell)
                    self.assertTrue((self.root / path).exists() or (self.root / path).is_symlink())
                    self.assertEqual(stat.S_IMODE((self.root / "usr/bin/cleatd").stat().st_mode), 0o755)
                    self.assertEqual((self.root / "etc/group").read_text(), "root:x:0:\nother:x:999:\ncleat:x:998:\n")
                    self.install("--init", init, shell=shell)
                    self.install("--uninstall", shell=shell)
                    remaining = {name for name in listed(self.root) if "cleat" in name}
                    self.assertEqual(remaining, {"var/lib/cleat", "var/lib/cleat/store"})
        self.install("--init", "busybox")
        self.install("--uninstall", "--purge")
        self.assertFalse((self.root / "var/lib/cleat").exists())

    def test_a_removal_leaves_the_directories_that_were_there(self) -> None:
        for shell in SHELLS:
            for name in ("", "usr/share", "usr/share/doc"):
                with self.subTest(shell=shell, name=name):
                    shutil.rmtree(self.root / "usr", ignore_errors=True)
                    (self.root / "usr" / name.removeprefix("usr/")).mkdir(parents=True)
                    for directory in ("usr/bin", "usr/lib"):
                        (self.root / directory).mkdir()
                    before = listed(self.root)
                    for _ in range(2):
                        self.install("--init", "busybox", shell=shell)
                    self.install("--uninstall", shell=shell)
                    self.assertEqual(listed(self.root), before)

    def test_another_init_system_replaces_the_first_one(self) -> None:
        self.install("--init", "busybox")
        self.install("--init", "openrc")
        self.assertFalse((self.root / "etc/init.d/S15cleatd").exists())
        self.assertTrue((self.root / "etc/runlevels/boot/cleatd").is_symlink())
        (self.root / "etc/runlevels/boot/cleatd").unlink()
        self.install("--init", "openrc")
        self.assertFalse((self.root / "etc/runlevels/boot/cleatd").is_symlink())

    def test_a_root_is_recognised(self) -> None:
        self.assertIn("no systemd, OpenRC or BusyBox init was found", self.install(status=1))
        (self.root / "sbin").mkdir()
        (self.root / "sbin/openrc-run").touch(0o755)
        self.assertIn("(init: openrc)", self.install())
        (self.root / "sbin/procd").touch(0o755)
        self.assertIn("has procd, which this script does not install for", self.install(status=1))

    def test_openrc_of_debian_starts_the_service_in_the_runlevel_of_the_network(self) -> None:
        boot, sysinit = (self.root / "etc/runlevels" / level / "cleatd" for level in ("boot", "sysinit"))
        self.install("--init", "openrc")
        self.assertTrue(boot.is_symlink())
        (self.root / "etc/init.d/mountall.sh").touch(0o755)
        self.install("--init", "openrc")
        self.assertTrue(sysinit.is_symlink() and not boot.is_symlink())
        (self.root / "etc/init.d/localmount").touch(0o755)
        self.install("--init", "openrc")
        self.assertTrue(boot.is_symlink() and not sysinit.is_symlink())

    def test_a_failed_installation_replaces_nothing(self) -> None:
        self.install("--init", "busybox")
        program = self.root / "usr/bin/cleatd"
        program.write_text("the former one")
        shutil.rmtree(self.top / "init")
        self.assertIn("is missing; unpack the whole tarball again", self.install("--init", "busybox", status=1))
        self.assertEqual(program.read_text(), "the former one")
        (self.top / "init/busybox").mkdir(parents=True)
        (self.root / "usr/share/man/man8/cleatd.8.gz.cleat-new").mkdir()
        (self.root / "usr/share/man/man8/cleatd.8.gz.cleat-new/cleatd.8.gz").mkdir()
        self.assertIn("nothing was installed", self.install("--init", "busybox", status=1))
        self.assertEqual(program.read_text(), "the former one")

    def test_a_list_of_files_that_cannot_be_written_changes_nothing(self) -> None:
        self.install("--init", "busybox")
        (self.root / "usr/bin/cleatd").write_text("the former one")
        unwritable = self.root / "usr/share/cleat/installed-files.cleat-new"
        (unwritable / "x").mkdir(parents=True)
        before = state(self.root)
        self.assertIn("nothing was installed", self.install("--init", "openrc", status=1))
        self.assertEqual(state(self.root), before)

    def test_an_interrupted_installation_is_finished_by_the_next_one(self) -> None:
        manifest = self.root / "usr/share/cleat/installed-files"
        for init, paths in (("busybox", ["etc/init.d/S15cleatd"]),
                            ("openrc", ["etc/init.d/cleatd", "etc/runlevels/boot/cleatd"])):
            with self.subTest(init=init):
                self.install("--init", init)
                complete = manifest.read_text()
                # The list that is written before the first file is replaced does not list itself.
                manifest.write_text(complete.replace("/usr/share/cleat/installed-files\n", ""))
                for path in paths:
                    (self.root / path).unlink()
                self.install("--init", init)
                self.assertEqual(manifest.read_text(), complete)
                for path in paths:
                    self.assertTrue((self.root / path).is_symlink() or (self.root / path).exists())

    def test_a_disabled_service_stays_disabled_in_all_upgrades(self) -> None:
        for shell in SHELLS:
            for init, path in (
                    ("systemd", "etc/systemd/system/sysinit.target.wants/cleatd.service"),
                    ("openrc", "etc/runlevels/boot/cleatd"), ("busybox", "etc/init.d/S15cleatd")):
                with self.subTest(shell=shell, init=init):
                    self.install("--init", init, shell=shell)
                    (self.root / path).unlink()
                    for _ in range(3):
                        self.install("--init", init, shell=shell)
                        self.assertFalse((self.root / path).is_symlink() or (self.root / path).exists())
                    self.install("--uninstall", shell=shell)

    def test_the_script_of_busybox_keeps_its_mode(self) -> None:
        script = self.root / "etc/init.d/S15cleatd"
        for shell in SHELLS:
            for mode in (0o644, 0o700):
                with self.subTest(shell=shell, mode=mode):
                    self.install("--init", "busybox", shell=shell)
                    for _ in range(2):
                        script.write_text("the former one")
                        script.chmod(mode)
                        self.install("--init", "busybox", shell=shell)
                        self.assertEqual(stat.S_IMODE(script.stat().st_mode), mode)
                        self.assertIn("BusyBox init", script.read_text())
                    self.install("--uninstall", shell=shell)

    def refuse(self, *words: str, shell: tuple[str, ...] = ("sh",), message: str = "is not below") -> None:
        """Requires that the script refuses, and changes nothing."""
        before = state(self.directory)
        self.assertIn(message, self.install(*words, shell=shell, status=1))
        self.assertEqual(state(self.directory), before)

    def test_links_out_of_the_root_are_refused(self) -> None:
        outside = self.directory / "outside"
        for name in ("cleat", "bin", "lib/cleat"):
            (outside / name).mkdir(parents=True)
            (outside / name / "cleatd").write_text("of the host")
        (outside / "group").write_text("root:x:0:\n")
        for shell in SHELLS:
            for link, target, words in (
                    ("usr", outside, ("--init", "none")), ("usr/bin", outside / "bin", ("--init", "none")),
                    ("usr/bin", Path("../../outside/bin"), ("--init", "none")),
                    ("usr/share/cleat", outside / "cleat", ("--init", "none")),
                    ("etc/systemd", outside, ("--init", "systemd")), ("etc/runlevels", outside, ("--init", "openrc")),
                    ("etc/group", outside / "group", ("--init", "none"))):
                with self.subTest(shell=shell, link=link, target=target):
                    path = self.root / link
                    path.parent.mkdir(parents=True, exist_ok=True)
                    exists = path.exists()
                    if exists:
                        path.rename(self.directory / "former")
                    path.symlink_to(target)
                    self.refuse(*words, shell=shell)
                    path.unlink()
                    if exists:
                        (self.directory / "former").rename(path)
            (self.root / "usr/bin/cleat").mkdir(parents=True)
            self.refuse("--init", "none", shell=shell, message="is a directory")
            (self.root / "usr/bin/cleat").rmdir()
            self.install("--init", "none", shell=shell)
            for link, words in (("usr/bin", ("--uninstall",)), ("var", ("--uninstall", "--purge")),
                                ("var/lib/cleat", ("--uninstall", "--purge"))):
                with self.subTest(shell=shell, link=link, words=words):
                    (self.root / link).rename(self.directory / "former")
                    (self.root / link).symlink_to(outside)
                    self.refuse(*words, shell=shell)
                    (self.root / link).unlink()
                    (self.directory / "former").rename(self.root / link)
            manifest = self.root / "usr/share/cleat/installed-files"
            listing = manifest.read_text()
            for line in ("/../outside/bin/cleatd", "/absent/../../outside/bin/cleatd", "relative"):
                manifest.write_text(f"{line}\n{listing}")
                self.refuse("--uninstall", shell=shell, message="is not a path below")
                self.refuse("--init", "none", shell=shell, message="is not a path below")
            manifest.write_text(listing)
            # A link at the place of a new file is removed, not followed.
            (self.root / "usr/bin/cleat.cleat-new").symlink_to(outside / "group")
            self.install("--init", "none", shell=shell)
            self.assertEqual((outside / "group").read_text(), "root:x:0:\n")
            self.install("--uninstall", shell=shell)

    def test_links_inside_the_root_work(self) -> None:
        for name in ("data/bin", "data/etc", "data/store"):
            (self.root / name).mkdir(parents=True)
        (self.root / "usr").mkdir()
        (self.root / "usr/bin").symlink_to("../data/bin")
        (self.root / "etc/group").rename(self.root / "data/etc/group")
        (self.root / "etc/group").symlink_to("../data/etc/group")
        shutil.rmtree(self.root / "var/lib/cleat")
        (self.root / "var/lib/cleat").symlink_to("../../data/store")
        (self.root / "data/store/secret").touch()
        (self.directory / "link").symlink_to(self.root)
        actual, self.root = self.root, self.directory / "link"
        for shell in SHELLS:
            self.install("--init", "none", shell=shell)
            self.assertTrue((actual / "data/bin/cleatd").is_file())
            self.assertIn("cleat:x:998:", (actual / "data/etc/group").read_text())
            self.install("--uninstall", shell=shell)
        self.assertTrue((self.root / "etc/group").is_symlink())
        self.install("--init", "none")
        self.install("--uninstall", "--purge")
        self.assertFalse((self.root / "var/lib/cleat").is_symlink() or (actual / "data/store").exists())

    def test_a_purge_empties_a_mount_point_and_goes_on(self) -> None:
        if protected(self.directory, "true").returncode:
            self.skipTest("there are no mount namespaces")
        for shell in SHELLS:
            for script, status in ((MOUNTED, 0), (NESTED, 1)):
                with self.subTest(shell=shell, status=status):
                    self.install("--init", "none")
                    for name in PURGED:
                        (self.root / name).mkdir(parents=True, exist_ok=True)
                    answer = protected(
                        self.directory, "sh", "-c", script, "mounted", str(self.root / "var/lib/cleat"), *shell,
                        str(self.top / "install.sh"), "--root", str(self.root), "--uninstall", "--purge")
                    self.assertEqual(answer.returncode, status, answer.stdout + answer.stderr)
                    self.assertFalse((self.root / "etc/cleat").exists() or (self.root / "run/cleat").exists())

    def test_tables_without_a_newline_at_their_end_stay_valid(self) -> None:
        for shell in SHELLS:
            for end in ("", "\n"):
                with self.subTest(shell=shell, end=end):
                    for name, text, mode in (("group", "root:x:0:\nother:x:999:", 0o604), ("gshadow", "root:*::", 0o640)):
                        (self.root / "etc" / name).write_text(text + end)
                        (self.root / "etc" / name).chmod(mode)
                    for _ in range(2):
                        self.install("--init", "none", shell=shell)
                    for name, text, mode in (("group", "root:x:0:\nother:x:999:\ncleat:x:998:\n", 0o604),
                                             ("gshadow", "root:*::\ncleat:!::\n", 0o640)):
                        self.assertEqual((self.root / "etc" / name).read_text(), text)
                        self.assertEqual(stat.S_IMODE((self.root / "etc" / name).stat().st_mode), mode)
                    self.assertEqual(list((self.root / "etc").glob("*cleat-new")), [])

    def test_what_cannot_be_installed_is_refused(self) -> None:
        (self.root / "var/lib/dpkg/info").mkdir(parents=True)
        (self.root / "var/lib/dpkg/info/cleat.md5sums").touch()
        self.assertIn("remove it with dpkg or apt", self.install("--init", "none", status=1))
        self.assertIn("remove it with dpkg or apt", self.install("--uninstall", status=1))
        (self.root / "var/lib/dpkg/info/cleat.md5sums").unlink()
        self.assertIn("has not installed Cleat there", self.install("--uninstall", status=1))
        (self.root / "etc/group").unlink()
        self.assertIn("is not a root file system", self.install("--init", "none", status=1))
        self.assertIn("--purge needs --uninstall", self.install("--purge", status=1))
        self.assertIn("usage:", self.install("--frob", status=64))


class StartTests(WithTarball):
    """Installations in a system of BusyBox, with init systems that only write down how they are called."""

    SCRIPT = '#!/bin/sh\necho "{name} $*" >>/calls\n'

    def setUp(self) -> None:
        super().setUp()
        if not BUSYBOX:
            self.skipTest("there is no BusyBox")
        self.root = self.directory / "root"
        for name in ("bin", "dev", "etc/init.d", "run", "tmp", "var"):
            (self.root / name).mkdir(parents=True)
        shutil.copy(BUSYBOX, self.root / "bin/busybox")
        for name in subprocess.run(
                [str(BUSYBOX), "--list"], capture_output=True, text=True, check=True).stdout.split():
            if name != "busybox":
                (self.root / "bin" / name).symlink_to("busybox")
        if protected(self.directory, "chroot", str(self.root), "/bin/sh", "-c", "true").returncode:
            self.skipTest("there are no namespaces, or BusyBox is not linked statically")
        (self.root / "etc/group").write_text("root:x:0:\ncleat:x:5:\n")
        unpack_tarball(self.made, self.root).rename(self.root / "cleat")
        for path, text in (
                ("bin/systemctl", self.SCRIPT.format(name="systemctl") + 'case $* in *is-enabled*) [ -e /enabled ] ;; esac\n'),
                ("bin/rc-service", self.SCRIPT.format(name="rc-service")),
                ("cleat/root/usr/bin/cleatd", "#!/bin/sh\n"),
                ("cleat/init/busybox/etc/init.d/S15cleatd", self.SCRIPT.format(name="S15cleatd"))):
            (self.root / path).write_text(text)
            (self.root / path).chmod(0o755)

    def install(self, *words: str) -> tuple[str, list[str]]:
        """Runs the script in the system, and returns what it prints and the calls that change the service."""
        (self.root / "calls").unlink(missing_ok=True)
        answer = protected(self.directory, "chroot", str(self.root), "/cleat/install.sh", *words)
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
        calls = (self.root / "calls").read_text().splitlines() if (self.root / "calls").exists() else []
        return answer.stdout, [line for line in calls if re.search(" (re)?start| stop", line)]

    def check(self, init: str, call: str) -> None:
        """Installs with a service that is enabled."""
        output, calls = self.install("--init", init)
        self.assertEqual(calls, [call])
        self.assertIn("the agent runs", output)

    def check_disabled(self, init: str) -> None:
        """Upgrades three times with a service that is disabled."""
        for _ in range(3):
            output, calls = self.install("--init", init)
            self.assertEqual(calls, [])
            self.assertIn("the service is disabled, so the agent was not started", output)

    def test_systemd(self) -> None:
        output, calls = self.install("--init", "systemd")
        self.assertEqual(calls, [])
        self.assertIn("systemd does not run, so the agent was not started", output)
        (self.root / "run/systemd/system").mkdir(parents=True)
        (self.root / "enabled").touch()
        self.check("systemd", "systemctl restart cleatd.service")
        self.assertEqual(self.install("--init", "systemd", "--no-start")[1], [])
        # Masked or disabled.
        (self.root / "enabled").unlink()
        self.check_disabled("systemd")

    def test_openrc(self) -> None:
        self.check("openrc", "rc-service cleatd restart")
        (self.root / "etc/runlevels/default").mkdir()
        (self.root / "etc/runlevels/boot/cleatd").rename(self.root / "etc/runlevels/default/cleatd")
        self.check("openrc", "rc-service cleatd restart")
        (self.root / "etc/runlevels/default/cleatd").unlink()
        self.check_disabled("openrc")

    def test_busybox(self) -> None:
        script = self.root / "etc/init.d/S15cleatd"
        self.check("busybox", "S15cleatd restart")
        script.chmod(0o644)
        self.check_disabled("busybox")
        script.unlink()
        self.check_disabled("busybox")
        self.assertFalse(script.exists())
        self.assertEqual(self.install("--uninstall")[1], [])
        self.check("busybox", "S15cleatd restart")
        script.chmod(0o644)
        self.assertEqual(self.install("--uninstall")[1], ["S15cleatd stop"])


class RefusalTests(WithDirectory):
    """Packages that are not made."""

    def test_programs_that_are_missing_or_for_another_machine(self) -> None:
        answer = package("aarch64", "--programs", str(self.directory), "--output", str(self.directory / "made"))
        self.assertEqual(answer.returncode, 69)
        self.assertIn("cross/build aarch64", answer.stderr)
        write_elves(self.directory)
        answer = package("aarch64", "--programs", str(self.directory / "x86_64"), "--output", str(self.directory / "made"))
        self.assertEqual(answer.returncode, 1)
        self.assertIn("cleatd is for x86_64, not for aarch64", answer.stderr)

    def test_a_version_and_a_time_that_are_not_valid(self) -> None:
        self.assertIn("is not a version", package(ARCH, "--version", "1.0 beta").stderr)
        self.assertIn("not a number of seconds", package(ARCH, SOURCE_DATE_EPOCH="today").stderr)

    def test_a_signature_is_made_by_the_given_command(self) -> None:
        made = make_packages(self.directory, self.directory / "made", "--sign", "sh -c 'cp \"$1\" \"$1.sig\"' sign")
        self.assertEqual((made / "SHA256SUMS.sig").read_bytes(), (made / "SHA256SUMS").read_bytes())
        with self.assertRaisesRegex(AssertionError, "false ended with 1; the packages are not signed"):
            make_packages(self.directory, self.directory / "made", "--sign", "false")

    def test_dependencies_without_versions_are_refused(self) -> None:
        with self.assertRaisesRegex(Failure, "the versions of the dependencies are unknown"):
            spdx.libraries(self.directory / "Package.resolved")


class ManualTests(WithDirectory):
    """The manual pages, of scripts and of the programs of this machine."""

    def check(self, texts: Texts) -> None:
        """Writes all pages and requires that no formatter has a warning."""
        tools = [words for words in (["groff", "-man", "-ww", "-z", "-Tutf8"], ["mandoc", "-T", "lint", "-W", "warning"])
                 if shutil.which(words[0])]
        if not tools:
            self.skipTest("there is neither groff nor mandoc")
        pages = manual_pages(texts, Release("0.1.0", int(EPOCH)))
        for page in pages:
            path = self.directory / Path(page.path).name
            path.write_bytes(page.data)
            for words in tools:
                answer = subprocess.run([*words, str(path)], capture_output=True, text=True, check=False, timeout=60)
                self.assertEqual(answer.stdout + answer.stderr, "", f"{words[0]} {page.path}")

    def test_the_pages_of_scripts_have_no_warnings(self) -> None:
        self.check(find_texts("0.1.0", write_programs(self.directory / "texts"), {}))

    def test_the_pages_of_the_programs_have_no_warnings(self) -> None:
        try:
            texts = find_texts(find_release().version, None, {})
        except Failure as failure:
            self.skipTest(f"no programs were built for this machine: {str(failure).splitlines()[0]}")
        self.check(texts)
        self.assertGreater(len(texts.cleat.subcommands), 20)

    def test_characters_of_roff_are_escaped(self) -> None:
        self.assertEqual(escape("a\\b 'c' `d` ^~ é"), "a\\(rsb 'c' \\(gad\\(ga \\(ha\\(ti \\[u00E9]")
        self.assertEqual(escape("-x 'y'", code=True), "\\-x \\(aqy\\(aq")
        self.assertEqual(inline("with --id, a well-known `-x`"), "with \\-\\-id, a well-known \\fB\\-x\\fP")
        page = Page("x", 1, "abstract", date="2020-01-01", version="1")
        page.heading("Part")
        page.paragraph(".so /etc/passwd")
        page.literal([".so x", "'y", "\\z"])
        text = page.data().decode()
        self.assertNotRegex(text, r"(?m)^[.']so")
        self.assertIn("\\(aqy\n\\(rsz", text)

    def test_markdown_becomes_lists_and_code(self) -> None:
        page = Page("x", 1, "abstract", date="2020-01-01", version="1")
        markdown.convert(page, "Text with a [link](x.md).\n\n* one\n  more\n* two\n\n| a | b |\n|---|---|\n| `c\\|d` | e |\n\n"
                         "```\n.code\n```\n\n### Part\n\nEnd.\n")
        lines = page.data().decode().splitlines()[4:]
        self.assertEqual(lines, [
            "Text with a link.", ".IP \\(bu 2", "one more", ".IP \\(bu 2", "two", ".TP", "\\fBc|d\\fP", "e", ".PP", ".RS 4",
            ".nf", "\\&.code", ".fi", ".RE", ".SS \"Part\"", "End."])

    def test_programs_of_another_version_are_refused(self) -> None:
        wrong = write_programs(self.directory / "wrong", "0.0.9")
        right = write_programs(self.directory / "right", "9.9.9")
        machine = os.uname().machine
        with self.assertRaisesRegex(Failure, "has cleat 0.0.9, but the packages would have version 9.9.9"):
            find_texts("9.9.9", None, {machine: wrong})
        self.assertEqual(find_texts("9.9.9", None, {machine: right}).completions["bash"], b"# completions for bash\n")
        self.assertEqual(Programs(right).run("cleat", "completions", "zsh"), b"# completions for zsh\n")


class ChangelogTests(unittest.TestCase):
    """Debian's changelog."""

    TEXT = "# Changelog\n\nIntro.\n\n## Unreleased\n\n- Not yet.\n\n## 0.2.0 - 2024-01-02\n\n### Added\n\n#### Parts\n\n" \
           "- One thing\n  over two lines.\n- Two.\n\n## 0.1.0\n\nThe first.\n"

    def changelog(self, version: str) -> str:
        """Returns the changelog of a version."""
        return debian_changelog(self.TEXT, Release(version, int(EPOCH)), "A <a@b.invalid>").decode()

    def test_versions_with_their_changes(self) -> None:
        text = self.changelog("0.2.0")
        self.assertNotIn("Not yet", text)
        self.assertIn("cleat (0.2.0) stable; urgency=medium\n\n  [ Added: Parts ]\n  * One thing over two lines.\n", text)
        self.assertIn("  * The first.\n\n -- A <a@b.invalid>  Tue, 14 Nov 2023 22:13:19 +0000\n", text)

    def test_a_version_without_changes_is_the_first_entry(self) -> None:
        self.assertTrue(self.changelog("0.3.0-rc.1").startswith("cleat (0.3.0~rc.1) stable"))

    def test_the_changelog_of_this_repository(self) -> None:
        text = (REPOSITORY / "CHANGELOG.md").read_text()
        made = debian_changelog(text, find_release(), "A <a@b.invalid>")
        self.assertTrue(made.decode().startswith(f"cleat ({find_release().debian_version})"))
        self.assertLess(len(gzip.compress(made)), 20_000)


if __name__ == "__main__":
    unittest.main()
