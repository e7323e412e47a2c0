"""The recipes for Yocto and Buildroot: checksums, form, and the files that they install. Neither build system is run."""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from package_support import ARCH, REPOSITORY, make_packages  # noqa: E402
from packages.inputs import DEBIAN, find_release  # noqa: E402

#: The directory in which `.ci/setup test` installs oelint-adv.
OELINT = REPOSITORY / ".build-oelint"
#: Rules of oelint-adv that do not apply: one needs the network, one refuses variables in the path of a license.
NOT_APPLIED = ("oelint.vars.homepageping", "oelint.var.licenseremotefile")
#: The releases of Yocto whose rules are checked: the first and the last of the layer.
RELEASES = ("scarthgap", "wrynose")
#: The values that BitBake gives the variables of the recipe, for a distribution with a merged /usr.
BITBAKE = {"base_sbindir": "/usr/sbin", "datadir": "/usr/share", "nonarch_libdir": "/usr/lib", "sysconfdir": "/etc",
           "systemd_system_unitdir": "/usr/lib/systemd/system", "systemd_unitdir": "/usr/lib/systemd"}
#: The files that only the Debian package has, and those that only images have.
DEBIAN_ONLY = {"usr/share/doc/cleat/changelog.gz", "usr/share/lintian/overrides/cleat", "usr/share/zsh/vendor-completions/_cleat"}
IMAGE_ONLY = {"usr/share/doc/cleat/CHANGELOG.md", "usr/share/doc/cleat/LICENSE", "usr/share/zsh/site-functions/_cleat"}
#: The parts of Buildroot that a package needs, and the step that installs it.
BUILDROOT = """
INSTALL = install
include $(PACKAGE)
$(D)/.stamp_target_installed:
	$(CLEAT_INSTALL_TARGET_CMDS)
	$(CLEAT_INSTALL_INIT_$(INIT))
print-%:
	@echo '$($*)'
"""


def files(root: Path) -> dict[str, int]:
    """Returns the modes of the files below a directory by their paths; 0 for a symbolic link."""
    return {path.relative_to(root).as_posix(): 0 if path.is_symlink() else path.stat().st_mode & 0o7777
            for path in root.rglob("*") if path.is_symlink() or path.is_file()}


def sha256(path: Path) -> str:
    """Returns the checksum of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


class RecipeTests(unittest.TestCase):
    """The recipes that `cross/package` makes next to the tarballs of two architectures."""

    base: Path
    made: Path
    recipes: Path
    package: dict[str, int]

    @classmethod
    def setUpClass(cls) -> None:
        if not shutil.which("dpkg-deb"):
            raise unittest.SkipTest("there is no dpkg-deb")
        cls.base = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="cleat-recipes-")))
        cls.made = make_packages(cls.base, cls.base / "made", "--site", "https://example.net/cleat/", archs=tuple(DEBIAN))
        version = find_release().version
        cls.recipes = cls.unpack(f"cleat-{version}-recipes", cls.base)
        cls.recipe = cls.recipes / f"yocto/meta-cleat/recipes-core/cleat/cleat_{find_release().debian_version}.bb"
        cls.mk = cls.recipes / "buildroot/package/cleat/cleat.mk"
        deb = cls.made / f"cleat_{find_release().debian_version}_{DEBIAN[ARCH]}.deb"
        answer = subprocess.run(["dpkg-deb", "--fsys-tarfile", str(deb)], capture_output=True, check=True)
        with tarfile.open(fileobj=io.BytesIO(answer.stdout)) as archive:
            cls.package = {member.name.removeprefix("./"): member.mode for member in archive if member.isfile()}

    @classmethod
    def unpack(cls, name: str, directory: Path) -> Path:
        """Unpacks a tarball, and returns its top directory."""
        with tarfile.open(cls.made / f"{name}.tar.xz") as archive:
            archive.extractall(directory, filter="data")
        return directory / name

    def setUp(self) -> None:
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="cleat-recipes-")))
        self.root = self.directory / "root"
        self.root.mkdir()

    def expected(self, init: dict[str, int], units: bool) -> dict[str, int]:
        """Returns the files of an image: those of the Debian package, and those of an init system."""
        found = {path: mode for path, mode in self.package.items()
                 if path not in DEBIAN_ONLY and (units or not path.startswith(("usr/lib/systemd", "usr/lib/sysusers.d")))}
        return {**found, **dict.fromkeys(IMAGE_ONLY, 0o644), **init}

    # Both.

    def test_all_placeholders_are_filled_in(self) -> None:
        for path in self.recipes.rglob("*"):
            self.assertNotRegex(path.name, "@[A-Z]")
            if path.is_file():
                self.assertNotRegex(path.read_text(), "@[A-Z0-9_]+@", path.name)

    def test_the_recipes_are_marked_as_unbuilt(self) -> None:
        for path in (self.recipe, self.mk, self.recipes / "yocto/meta-cleat/conf/layer.conf"):
            comment = next(line for line in path.read_text().splitlines() if line.startswith("# ") and len(line) > 20)
            self.assertIn("Unbuilt", comment)
        page = (REPOSITORY / "docs/packages.md").read_text()
        self.assertIn("unbuilt", page[page.index("## Yocto and Buildroot"):])

    def test_recipes_of_one_architecture_do_not_name_the_other(self) -> None:
        made = make_packages(self.directory, self.directory / "made", "--version", "1.2.3-rc.1", archs=("aarch64",))
        with tarfile.open(made / "cleat-1.2.3-rc.1-recipes.tar.xz") as archive:
            archive.extractall(self.directory, filter="data")
        top = self.directory / "cleat-1.2.3-rc.1-recipes"
        text = "".join(path.read_text() for path in sorted(top.rglob("*")) if path.is_file())
        self.assertNotIn("x86_64", text)
        # The version sorts before 1.2.3; the tarball has the name of the release.
        recipe = top / "yocto/meta-cleat/recipes-core/cleat/cleat_1.2.3~rc.1.bb"
        self.assertIn('CLEAT_TREE = "cleat-1.2.3-rc.1-linux-${TARGET_ARCH}"', recipe.read_text())

    def test_a_site_that_would_end_the_value_is_refused(self) -> None:
        for site in ('https://example.net/"', "https://example.net/a b", "https://example.net/$(x)"):
            with self.assertRaisesRegex(AssertionError, "--site"):
                make_packages(self.directory, self.directory / "made", "--site", site)

    # Yocto.

    def test_the_recipe_has_no_findings(self) -> None:
        if not (OELINT / "oelint_adv").is_dir():
            self.skipTest("there is no oelint-adv; .ci/setup test installs it")
        paths = [str(path) for path in sorted((self.recipes / "yocto").rglob("*")) if path.is_file()]
        for release in RELEASES:
            answer = subprocess.run(
                [sys.executable, "-B", "-m", "oelint_adv", "--quiet", "--jobs", "1", "--hide", "info", "--release", release,
                 *(word for rule in NOT_APPLIED for word in ("--suppress", rule)), *paths],
                capture_output=True, text=True, check=False, timeout=120, env={**os.environ, "PYTHONPATH": str(OELINT)})
            self.assertEqual((answer.returncode, answer.stdout + answer.stderr), (0, ""), release)

    def test_the_checksums_of_the_recipe_are_those_of_the_tarballs(self) -> None:
        text = self.recipe.read_text()
        self.assertIn('CLEAT_SITE ?= "https://example.net/cleat"', text)
        for arch in DEBIAN:
            name = re.search(r'CLEAT_TREE = "(.*)"', text)[1].replace("${TARGET_ARCH}", arch)
            self.assertIn(f'SRC_URI[{arch}.sha256sum] = "{sha256(self.made / f"{name}.tar.xz")}"', text)
            tree = self.unpack(name, self.directory)
            licenses = re.findall(r"file://\$\{CLEAT_TREE\}/(\S+);md5=(\w+)", text)
            self.assertEqual(len(licenses), 2)
            for path, digest in licenses:
                self.assertEqual(hashlib.md5((tree / path).read_bytes(), usedforsecurity=False).hexdigest(), digest, path)

    def test_the_recipe_is_for_the_systems_of_the_tarballs(self) -> None:
        pattern = re.search(r'COMPATIBLE_HOST = "(.*)"', self.recipe.read_text())[1]
        for host in ("aarch64-poky-linux", "x86_64-poky-linux-musl"):
            self.assertRegex(host, f"^{pattern}")
        for host in ("arm-poky-linux-gnueabi", "aarch64_be-poky-linux", "x86_64-poky-linux-gnux32", "i686-poky-linux"):
            self.assertNotRegex(host, f"^{pattern}")

    def install_yocto(self, features: str) -> None:
        """Runs the recipe's do_install in the way of BitBake: all variables are replaced before the shell reads it."""
        text = self.recipe.read_text()
        body = re.search(r"^do_install\(\) \{\n(.*?)^\}\n", text, re.MULTILINE | re.DOTALL)[1]
        self.unpack(f"cleat-{find_release().version}-linux-{ARCH}", self.directory / "source")
        values = {**BITBAKE, "D": str(self.root), "S": str(self.directory / "source"), "TARGET_ARCH": ARCH,
                  "CLEAT_TREE": re.search(r'CLEAT_TREE = "(.*)"', text)[1]}
        body = re.sub(r"\$\{@bb\.utils\.contains\('DISTRO_FEATURES', '(\w+)', 'true', 'false', d\)\}",
                      lambda match: "true" if match[1] in features.split() else "false", body)
        while "${" in body:
            body = re.sub(r"\$\{([^}]+)\}", lambda match: values[match[1]], body)
        subprocess.run(["sh", "-e", "-u", "-c", body], check=True, timeout=60, umask=0o022)

    def test_the_recipe_installs_the_files_of_the_debian_package(self) -> None:
        self.install_yocto("systemd usrmerge")
        self.assertEqual(files(self.root), self.expected({}, units=True))

    def test_the_recipe_installs_the_script_for_sysvinit(self) -> None:
        self.install_yocto("sysvinit")
        self.assertEqual(files(self.root), self.expected({"etc/init.d/cleatd": 0o755}, units=False))
        self.assertIn('INITSCRIPT_NAME = "cleatd"', self.recipe.read_text())

    def test_the_recipe_makes_the_users_of_the_units(self) -> None:
        text = self.recipe.read_text()
        self.assertIn('GROUPADD_PARAM:${PN} = "--system cleat"', text)
        sysusers = (REPOSITORY / "deploy/systemd/cleat.sysusers.conf").read_text()
        groups = re.findall(r"^m cleat-location (\w+)$", sysusers, re.MULTILINE)
        for made in (re.search(r"--groups (\S+)", text)[1], re.search(r"- - (\S+) Location", self.mk.read_text())[1]):
            self.assertEqual(made.split(","), groups)

    # Buildroot.

    def buildroot(self, *words: str) -> str:
        """Runs make with the package, and returns what it prints."""
        if not shutil.which("make"):
            self.skipTest("there is no make")
        makefile = self.directory / "Makefile"
        makefile.write_text(BUILDROOT)
        answer = subprocess.run(
            ["make", "-s", "-f", str(makefile), f"PACKAGE={self.mk}", f"D={self.directory}", f"ARCH={ARCH}", *words],
            capture_output=True, text=True, check=False, timeout=60, umask=0o022)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        return answer.stdout

    def install_buildroot(self, init: str) -> None:
        """Installs the package into the root."""
        name = self.buildroot("print-CLEAT_SOURCE").strip()
        tree = self.unpack(name.removesuffix(".tar.xz"), self.directory)
        self.buildroot(f"D={tree}", f"TARGET_DIR={self.root}", f"INIT={init}", f"{tree}/.stamp_target_installed")

    def test_the_package_of_buildroot_installs_the_files_for_each_init_system(self) -> None:
        for init, added in (
                ("SYSTEMD", {}),
                ("SYSV", {"etc/init.d/S15cleatd": 0o755}),
                ("OPENRC", {"etc/init.d/cleatd": 0o755, "etc/runlevels/boot/cleatd": 0}),
                ("NONE", {})):
            with self.subTest(init):
                self.root = self.directory / init
                self.root.mkdir()
                self.install_buildroot(init)
                self.assertEqual(files(self.root), self.expected(added, units=init == "SYSTEMD"))

    def test_presets_of_a_first_boot_enable_the_agent_only(self) -> None:
        if not shutil.which("systemctl"):
            self.skipTest("there is no systemctl")
        self.install_yocto("systemd")
        subprocess.run(["systemctl", f"--root={self.root}", "preset-all", "--preset-mode=enable-only"], capture_output=True,
                       check=True, timeout=60)
        wanted = sorted(path.name for path in (self.root / "etc/systemd/system").rglob("*.service"))
        self.assertEqual(wanted, ["cleatd.service"])

    def test_the_hashes_are_those_of_the_files(self) -> None:
        lines = (self.mk.parent / "cleat.hash").read_text().splitlines()
        hashes = [line.split("  ") for line in lines if not line.startswith("#")]
        self.assertEqual({kind for kind, _, _ in hashes}, {"sha256"})
        tree = self.unpack(f"cleat-{find_release().version}-linux-{ARCH}", self.directory)
        licenses = self.buildroot("print-CLEAT_LICENSE_FILES").split()
        self.assertEqual([name for _, _, name in hashes], [*sorted(path.name for path in self.made.glob("*-linux-*")), *licenses])
        for _, digest, name in hashes:
            self.assertEqual(digest, sha256((tree if name in licenses else self.made) / name), name)

    def test_the_package_has_the_form_that_buildroot_requires(self) -> None:
        text = self.mk.read_text()
        lines = text.splitlines()
        rule = "#" * 80
        self.assertEqual(lines[:6], [rule, "#", "# cleat", "#", rule, ""])
        self.assertEqual(lines[-1], "$(eval $(generic-package))")
        self.assertNotRegex(text, r"\$\{|[ \t]\n|\n\n\n|\\\n\n")
        for name in re.findall(r"^(?:define )?([A-Z0-9_]+)\b", text, re.MULTILINE):
            self.assertTrue(name.startswith("CLEAT_"), name)
        for body in re.findall(r"^define \w+\n(.*?)^endef$", text, re.MULTILINE | re.DOTALL):
            self.assertTrue(all(line.startswith("\t") for line in body.splitlines()), body)
        menu = (self.mk.parent / "Config.in").read_text()
        self.assertRegex(menu, r'\Aconfig BR2_PACKAGE_CLEAT\n\tbool "cleat"\n\tdepends on .+\n\thelp\n')
        for line in menu.partition("help\n")[2].splitlines():
            self.assertRegex(line, r"^(\t  \S.{0,61})?$")
        self.assertEqual(re.findall(r"BR2_\w+", menu.splitlines()[2]), [f"BR2_{arch}" for arch in sorted(DEBIAN)])
        described = dict(line.split(": ", 1) for line in (self.recipes / "buildroot/external.desc").read_text().splitlines())
        self.assertEqual((described["name"], set(described)), ("CLEAT", {"name", "desc"}))
        for name in ("Config.in", "external.mk"):
            self.assertIn("BR2_EXTERNAL_CLEAT_PATH", (self.recipes / "buildroot" / name).read_text())

    def test_the_users_have_all_fields(self) -> None:
        table = re.search(r"define CLEAT_USERS\n(.*?)endef", self.mk.read_text(), re.DOTALL)[1]
        rows = [line.split(None, 8) for line in table.splitlines()]
        # The name -: the group only. -1: a free number for the system. *: no login. Then home, shell, groups.
        self.assertEqual([row[:8] for row in rows], [
            ["-", "-1", "cleat", "-1", "-", "-", "-", "-"],
            ["cleat-location", "-1", "cleat-location", "-1", "*", "-", "-", "cleat,dialout"]])
        self.assertEqual([len(row) for row in rows], [9, 9])



if __name__ == "__main__":
    unittest.main()
