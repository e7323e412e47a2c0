"""Tests of `cross/package`: the Debian package, the tarball and its installation script, in directories of their own."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
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


def protected(base: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a command that can write below a directory only."""
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return subprocess.run(
        ["unshare", "--mount", *user, "sh", "-c", PROTECTED, "protected", str(base), *words], capture_output=True, text=True,
        timeout=120, check=False, stdin=subprocess.DEVNULL, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"})


class WithDirectory(unittest.TestCase):
    """A directory of the test's own."""

    def setUp(self) -> None:
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="cleat-packages-")))


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
        self.assertEqual(len(names), 6)
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
                    "usr/lib/systemd/system/cleat-location.service", "usr/lib/sysusers.d/cleat.conf",
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
        scripts = [*(REPOSITORY / "deploy/debian").glob("p*"), REPOSITORY / "deploy/install.sh"]
        answer = subprocess.run(
            ["shellcheck", "--shell", "sh", *map(str, scripts)], capture_output=True, text=True, check=False, timeout=120)
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


class InstallScriptTests(WithDirectory):
    """The tarball's `install.sh`, with this machine's shell and BusyBox's."""

    def setUp(self) -> None:
        super().setUp()
        if not shutil.which("dpkg-deb"):
            self.skipTest("there is no dpkg-deb")
        made = make_packages(self.directory, self.directory / "made")
        with tarfile.open(next(made.glob("*.tar.xz"))) as archive:
            archive.extractall(self.directory, filter="data")
        self.top = self.directory / f"cleat-{find_release().version}-linux-{ARCH}"
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
        shells: list[tuple[str, ...]] = [("sh",), *([(str(BUSYBOX), "ash")] if BUSYBOX else [])]
        for shell in shells:
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

    def test_what_cannot_be_installed_is_refused(self) -> None:
        (self.root / "var/lib/dpkg/info").mkdir(parents=True)
        (self.root / "var/lib/dpkg/info/cleat.list").touch()
        self.assertIn("remove it with dpkg or apt", self.install("--init", "none", status=1))
        self.assertIn("has not installed Cleat there", self.install("--uninstall", status=1))
        (self.root / "etc/group").unlink()
        self.assertIn("is not a root file system", self.install("--init", "none", status=1))
        self.assertIn("--purge needs --uninstall", self.install("--purge", status=1))
        self.assertIn("usage:", self.install("--frob", status=64))


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
