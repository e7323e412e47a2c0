"""Tests of the choice of the SDK, and of the messages if none fits."""

from __future__ import annotations

import hashlib
import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "cross"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from bundles import write_archive, write_bundle  # noqa: E402
from toolchain import releases  # noqa: E402
from toolchain.compiler import find_compiler  # noqa: E402
from toolchain.failure import Failure  # noqa: E402


class SDKCase(unittest.TestCase):
    """Runs `cross/sdk` with a cache, a home and a repository of its own, so that nothing of this machine is found."""

    @classmethod
    def setUpClass(cls) -> None:
        try:
            cls.compiler = find_compiler()
        except Failure as failure:
            raise unittest.SkipTest(str(failure)) from failure

    def setUp(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="cleat-sdk-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.repository = self.directory / "place/cleat"
        self.repository.mkdir(parents=True)
        shutil.copytree(
            REPOSITORY / "cross", self.repository / "cross", ignore=shutil.ignore_patterns("__pycache__"))
        (self.directory / "home").mkdir()

    def sdk(self, arch: str = "aarch64", **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs the tool, offline where nothing else is said."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("CLEAT_", "XDG_"))}
        return subprocess.run(
            [str(self.repository / "cross/sdk"), arch], capture_output=True, text=True, timeout=120, check=False,
            stdin=subprocess.DEVNULL, env={
                **kept, "HOME": str(self.directory / "home"), "CLEAT_CACHE": str(self.directory / "cache"),
                "CLEAT_OFFLINE": "1", **environment})

    def answers(self, run: subprocess.CompletedProcess[str]) -> dict[str, str]:
        """Returns what a run that went well has printed."""
        self.assertEqual(run.returncode, 0, run.stderr)
        return dict(line.split("=", 1) for line in run.stdout.splitlines())

    def kept(self) -> list[str]:
        """Returns what is in the cache, without the locks."""
        sdks = self.directory / "cache/sdks"
        return sorted(entry.name for entry in sdks.iterdir() if not entry.name.endswith(".lock")) if sdks.exists() else []


class SDKTests(SDKCase):
    """Tests of accepted and refused SDKs."""

    def test_nothing_at_all(self) -> None:
        run = self.sdk()
        self.assertEqual(run.returncode, 69)
        self.assertEqual(run.stdout, "")
        self.assertIn(f"no Static Linux SDK for Swift {self.compiler.version}", run.stderr)
        self.assertIn("CLEAT_OFFLINE is set", run.stderr)
        self.assertIn("set CLEAT_SWIFT_SDK", run.stderr)

    def test_given_directory_archive_and_folder_that_holds_it(self) -> None:
        bundle = write_bundle(self.directory / "given", self.compiler.version)
        archive = write_archive(self.directory / "given", self.compiler.version, "sdk.tar.xz")
        for given in (bundle, bundle.parent, archive):
            answers = self.answers(self.sdk(CLEAT_SWIFT_SDK=str(given)))
            self.assertEqual(list(answers), ["SDKS_PATH", "SDK_ID", "BUNDLE", "SOURCE"])
            self.assertEqual(answers["SOURCE"], "given")
            self.assertEqual(answers["SDK_ID"], "aarch64-swift-linux-musl")
            self.assertTrue((Path(answers["BUNDLE"]) / "info.json").is_file())
            self.assertEqual(Path(answers["BUNDLE"]).parent, Path(answers["SDKS_PATH"]))

    def test_shared_next_to_the_repository(self) -> None:
        shared = self.directory / "place/shared/static-sdk"
        shared.mkdir(parents=True)
        archive = write_archive(self.directory / "made", self.compiler.version)
        archive.rename(shared / "swift-any.artifactbundle.tar.gz")
        self.assertEqual(self.answers(self.sdk())["SOURCE"], "shared")
        before = self.kept()
        self.assertEqual(self.answers(self.sdk())["SOURCE"], "shared")
        self.assertEqual(self.kept(), before)

    def test_installed_comes_first(self) -> None:
        write_bundle(self.directory / "home/.swiftpm/swift-sdks", self.compiler.version)
        write_bundle(self.directory / "home/.swiftpm/swift-sdks", "5.1.9")
        answers = self.answers(self.sdk())
        self.assertEqual(answers["SOURCE"], "installed")
        self.assertIn(self.compiler.version, answers["BUNDLE"])
        self.assertEqual(len(list(Path(answers["SDKS_PATH"]).glob("*.artifactbundle"))), 1)

    def test_for_another_compiler(self) -> None:
        bundle = write_bundle(self.directory / "given", "5.1.9")
        run = self.sdk(CLEAT_SWIFT_SDK=str(bundle))
        self.assertEqual(run.returncode, 69)
        self.assertIn("made by Swift 5.1.9", run.stderr)
        self.assertIn(f"the compiler is Swift {self.compiler.version}", run.stderr)
        archive = write_archive(self.directory / "other", "5.1.9")
        run = self.sdk(CLEAT_SWIFT_SDK=str(archive))
        self.assertEqual(run.returncode, 69)
        self.assertIn("made by Swift 5.1.9", run.stderr)
        self.assertEqual(self.kept(), [])

    def test_another_patch_level_whose_modules_cannot_be_read(self) -> None:
        bundle = write_bundle(self.directory / "given", f"{self.compiler.minor}.77")
        run = self.sdk(CLEAT_SWIFT_SDK=str(bundle))
        self.assertEqual(run.returncode, 69)
        self.assertIn(f"made by Swift {self.compiler.minor}.77", run.stderr)

    def test_wrong_checksum_keeps_nothing(self) -> None:
        archive = write_archive(self.directory / "given", self.compiler.version, "sdk.tar.gz")
        run = self.sdk(CLEAT_SWIFT_SDK=str(archive), CLEAT_SWIFT_SDK_CHECKSUM="00" * 32)
        self.assertEqual(run.returncode, 1)
        self.assertIn("must have " + "00" * 32, run.stderr)
        self.assertEqual(self.kept(), [])
        checksum = hashlib.sha256(archive.read_bytes()).hexdigest()
        self.answers(self.sdk(CLEAT_SWIFT_SDK=str(archive), CLEAT_SWIFT_SDK_CHECKSUM=checksum))

    def test_wrong_archive_under_an_official_name(self) -> None:
        version, (bundle, checksum) = next(iter(releases.KNOWN.items()))
        archive = write_archive(self.directory / "given", version, releases.archive_name(version, bundle))
        run = self.sdk(CLEAT_SWIFT_SDK=str(archive))
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"must have {checksum}", run.stderr)

    def test_broken_inputs(self) -> None:
        broken = self.directory / "broken.tar.gz"
        broken.write_bytes(b"\x1f\x8bnothing")
        empty = self.directory / "empty"
        empty.mkdir()
        for given, told in ((broken, "cannot be unpacked"), (empty, "holds no bundle"), (self.directory / "x", "not there")):
            run = self.sdk(CLEAT_SWIFT_SDK=str(given))
            self.assertIn(run.returncode, (1, 69))
            self.assertIn(told, run.stderr)
            self.assertNotIn("Traceback", run.stderr)
        self.assertEqual(self.kept(), [])

    def test_architecture_that_the_bundle_has_not(self) -> None:
        bundle = write_bundle(self.directory / "given", self.compiler.version)
        run = self.sdk("x86_64", CLEAT_SWIFT_SDK=str(bundle))
        self.assertEqual(run.returncode, 69)
        self.assertIn("has no x86_64-swift-linux-musl, only aarch64-swift-linux-musl", run.stderr)
        self.assertEqual(self.sdk("mips").returncode, 64)

    def test_cache_that_cannot_be_written(self) -> None:
        (self.directory / "file").write_text("")
        run = self.sdk(CLEAT_CACHE=str(self.directory / "file/cache"))
        self.assertEqual(run.returncode, 1)
        self.assertIn("set CLEAT_CACHE", run.stderr)

    def test_two_runs_at_once(self) -> None:
        archive = write_archive(self.directory / "given", self.compiler.version, "sdk.tar.gz")
        runs: list[subprocess.CompletedProcess[str]] = []
        threads = [
            threading.Thread(target=lambda: runs.append(self.sdk(CLEAT_SWIFT_SDK=str(archive)))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        self.assertEqual([run.returncode for run in runs], [0] * 4, [run.stderr for run in runs])
        self.assertEqual(len({run.stdout for run in runs}), 1)

    def test_no_network_is_reported_soon(self) -> None:
        probe = subprocess.run(["unshare", "--user", "--net", "true"], capture_output=True, check=False)
        if probe.returncode:
            self.skipTest(f"no network namespaces: {probe.stderr.decode().strip()}")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("CLEAT_", "XDG_"))}
        started = time.monotonic()
        run = subprocess.run(
            ["unshare", "--user", "--map-root-user", "--net", str(self.repository / "cross/sdk")], capture_output=True,
            text=True, timeout=60, check=False, stdin=subprocess.DEVNULL, env={
                **kept, "HOME": str(self.directory / "home"), "CLEAT_CACHE": str(self.directory / "cache")})
        self.assertEqual(run.returncode, 69, run.stderr)
        self.assertIn("download.swift.org cannot be reached", run.stderr)
        self.assertLess(time.monotonic() - started, 30)


class DownloadTests(SDKCase):
    """The official archive, from a server of the test's own in place of swift.org."""

    def setUp(self) -> None:
        super().setUp()
        if self.compiler.version not in releases.KNOWN:
            self.skipTest(f"no checksum of the SDK for Swift {self.compiler.version} is pinned")
        served = self.directory / "served"
        served.mkdir()

        class Handler(http.server.SimpleHTTPRequestHandler):
            """Serves the directory and is silent."""

            def __init__(self, *arguments: object) -> None:
                super().__init__(*arguments, directory=str(served))

            def log_message(self, *arguments: object) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.site = f"http://127.0.0.1:{server.server_port}"
        bundle, self.checksum = releases.KNOWN[self.compiler.version]
        tag = f"swift-{self.compiler.version}-RELEASE"
        self.archive = served / tag.lower() / "static-sdk" / tag / releases.archive_name(self.compiler.version, bundle)
        self.archive.parent.mkdir(parents=True)

    def test_other_archives_than_the_official_one_are_refused(self) -> None:
        write_archive(self.directory / "made", self.compiler.version).rename(self.archive)
        run = self.sdk(CLEAT_OFFLINE="0", CLEAT_SWIFT_ORG=self.site)
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"must have {self.checksum}", run.stderr)
        self.assertIn("nothing of it was kept", run.stderr)
        self.assertEqual(self.kept(), [])

    def test_a_download_is_installed_once(self) -> None:
        write_archive(self.directory / "made", self.compiler.version).rename(self.archive)
        table = self.repository / "cross/toolchain/releases.py"
        checksum = hashlib.sha256(self.archive.read_bytes()).hexdigest()
        table.write_text(table.read_text().replace(self.checksum, checksum))
        answers = self.answers(self.sdk(CLEAT_OFFLINE="0", CLEAT_SWIFT_ORG=self.site))
        self.assertEqual(answers["SOURCE"], "official")
        self.archive.unlink()
        self.assertEqual(self.answers(self.sdk()), answers)

    def test_missing_on_the_server(self) -> None:
        run = self.sdk(CLEAT_OFFLINE="0", CLEAT_SWIFT_ORG=self.site)
        self.assertEqual(run.returncode, 69)
        self.assertIn("could not be fetched", run.stderr)
        self.assertIn("set CLEAT_SWIFT_SDK", run.stderr)

    def test_a_site_that_refuses_leaves_the_shared_one(self) -> None:
        """As behind a proxy that answers for all sites: it can be reached, and serves no file."""
        shared = self.directory / "place/shared/static-sdk"
        shared.mkdir(parents=True)
        write_archive(self.directory / "made", self.compiler.version).rename(shared / "swift-any.artifactbundle.tar.gz")
        run = self.sdk(CLEAT_OFFLINE="0", CLEAT_SWIFT_ORG=self.site)
        self.assertEqual(self.answers(run)["SOURCE"], "shared")
        self.assertIn("the official SDK cannot be had", run.stderr)
        # What is sent and is not the official one is refused all the same.
        write_archive(self.directory / "other", self.compiler.version).rename(self.archive)
        self.assertEqual(self.sdk(CLEAT_OFFLINE="0", CLEAT_SWIFT_ORG=self.site).returncode, 1)


if __name__ == "__main__":
    unittest.main()
