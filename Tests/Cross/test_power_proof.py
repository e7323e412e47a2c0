"""Tests of what a run of power cuts may call proof, and of its command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from power_support import ROOT, SIZE, WithDisk

from power.checker import Checker, Finding
from power.cutset import CutSet, Violation, run_cuts
from power.cycle import Cycle
from power.recording import Recording, load_recordings
from power.replay import Cut, Replayer
from power.variants import APPLIES, CONTROLS, VARIANTS


class ProofTests(WithDisk):
    """Tests of the conditions under which a run is a proof."""

    def recording(self, name: str = "store") -> Recording:
        variant = next(one for one in (*VARIANTS, *CONTROLS) if one.name == name)
        for number in range(1, 21):
            self.disk.write(number * 512, b"x" * 512)
            self.disk.flush()
            self.disk.write(number * 512, b"y" * 512)
            self.disk.log.note(str(number))
        base = self.directory / f"{name}.base"
        base.write_bytes(bytes(SIZE))
        return Recording(variant, base, self.disk.log)

    def writer(self, body: str) -> Checker:
        script = self.directory / "writer"
        script.write_text(f"#!/bin/sh\n{body}\n")
        script.chmod(0o755)
        checker = Checker(script, self.directory, mounted=False)
        checker._take_out = lambda image, target, place: None  # type: ignore[method-assign]
        return checker

    def cuts(self, body: str, name: str = "store") -> CutSet:
        recording = self.recording(name)
        cuts = [Cut(position, "some", "1") for position in range(0, 60, 6)] + [Cut(60, "none", "1")]
        return run_cuts(recording, cuts, self.writer(body), jobs=2, say=lambda text: None)

    GOOD = """echo '{"found":1,"checked":["opens"],"problems":[]}'"""
    LOST = """echo '{"found":1,"checked":["opens"],"problems":[{"kind":"lost","text":"gone"}]}'"""

    def test_a_set_without_violations_passes_and_such_a_control_is_blind(self) -> None:
        result = self.cuts(self.GOOD)
        self.assertEqual((result.passed, result.cuts, result.checked), (True, 11, Counter(opens=11)))
        self.disk.log.notes.clear()
        blind = self.cuts(self.GOOD, "no-barrier")
        self.assertFalse(blind.passed)
        self.assertIn("proves nothing", blind.blind)

    def test_a_violation_fails_a_promise_and_passes_a_control(self) -> None:
        self.assertFalse(self.cuts(self.LOST).passed)
        self.assertTrue(self.cuts(self.LOST, "no-sync").passed)

    def test_a_verifier_that_dies_or_prints_nothing_is_a_violation(self) -> None:
        for body in ("exit 0", "exit 3", "kill -9 $$", "echo '{}'", "echo '[1]'", "echo nonsense",
                     """echo '{"found":null,"checked":[],"problems":[]}'""", self.GOOD + "; exit 1"):
            with self.subTest(body):
                finding = self.one(body)
                self.assertFalse(finding.ok)
                self.assertEqual(finding.verdict, "corrupt")

    def one(self, body: str) -> Finding:
        return self.writer(body).check(self.image, "verify", "store", {"acknowledged": 1})

    def test_a_run_with_nothing_to_keep_or_nothing_to_lose_proves_nothing(self) -> None:
        recording = self.recording()
        result = CutSet(recording, Counter(ok=100), with_promises=49, with_loose_writes=100)
        self.assertTrue(result.blind)
        result.with_promises, result.with_loose_writes = 100, 24
        self.assertTrue(result.blind)
        result.with_loose_writes = 25
        self.assertEqual((result.blind, result.passed), ("", True))
        recording.log.notes.clear()
        self.assertTrue(result.blind)

    def test_a_violation_keeps_its_image_and_can_be_repeated(self) -> None:
        recording = self.recording()
        keep = self.directory / "keep"
        keep.mkdir()
        recording.save(keep)
        result = run_cuts(recording, [Cut(10, "some", "4")], self.writer(self.LOST), jobs=1, say=lambda text: None,
                          keep=keep)
        self.assertIsInstance(result.violations[0], Violation)
        again = load_recordings(keep)[0]
        image = Replayer(again.base.read_bytes(), again.log.operations).image(result.violations[0].cut)
        self.assertEqual((keep / "store-10-some.img").read_bytes(), image)
        self.assertEqual(again.log.notes, recording.log.notes)

    def test_a_cycle_passes_only_where_something_was_checked_and_a_control_only_where_it_was_lost(self) -> None:
        for control in (False, True):
            cycle = Cycle(1, control)
            self.assertFalse(cycle.passed)
            cycle.checked.append("starts")
            self.assertEqual(cycle.passed, not control)
            cycle.problems.append("gone")
            self.assertEqual(cycle.passed, control)

    def test_a_directory_without_a_kept_run_is_an_error(self) -> None:
        with self.assertRaisesRegex(ValueError, "--keep"):
            load_recordings(self.directory)

    def test_the_promises_take_all_cuts_together(self) -> None:
        self.assertEqual(sum(variant.cuts(200) for variant in VARIANTS), 200)
        self.assertTrue(all(variant.control for variant in CONTROLS))
        self.assertEqual([(variant.control, variant.cuts(200)) for variant in APPLIES], [(False, 200), (True, 16)])


class CommandTests(unittest.TestCase):
    def run_it(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, str(ROOT / "cross/power/run"), *words], capture_output=True, text=True,
                              timeout=60, env={**os.environ, **environment})

    def test_a_wrong_command_line_is_refused_with_64(self) -> None:
        for words in (["--bogus"], ["--cuts", "x"], ["--cuts", "-1"], ["--apply-cuts", "-1"], ["--jobs", "0"], ["--only", "nothing"],
                      ["--cut", "1:none:1"], ["--replay", "/nonexistent"]):
            with self.subTest(words):
                result = self.run_it(*words, "--writer", "/bin/true")
                self.assertEqual(result.returncode, 64, result.stderr)
                self.assertIn("run", result.stderr)

    @unittest.skipUnless(shutil.which("qemu-system-aarch64"), "there is no qemu-system-aarch64")
    def test_missing_parts_are_named_with_69(self) -> None:
        result = self.run_it("--writer", "/nonexistent/writer")
        self.assertEqual(result.returncode, 69, result.stderr)
        self.assertIn("swift build --product StoreWriter", result.stderr)
        result = self.run_it("--writer", "/bin/true", "--service", "/bin/true", "--programs", "/nonexistent", "--tests", "/nonexistent")
        self.assertEqual(result.returncode, 69, result.stderr)
        self.assertIn("cross/build", result.stderr)
        result = self.run_it("--writer", "/bin/true", "--service", "/nonexistent/cleatd")
        self.assertEqual(result.returncode, 69, result.stderr)
        self.assertIn("swift build --product cleatd", result.stderr)

    @unittest.skipUnless(shutil.which("qemu-system-aarch64"), "there is no qemu-system-aarch64")
    def test_a_missing_part_skips_the_suite_by_its_name(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            report = Path(place, "report.json")
            self.assertEqual(self.run_it("--writer", "/nonexistent/writer", "--json", str(report)).returncode, 69)
            told = json.loads(report.read_text())
        self.assertEqual(told["counts"], {"passed": 0, "failed": 0, "skipped": 1})
        self.assertIn("there is no /nonexistent/writer; build it", told["skipped"][0])

    def test_help_lists_the_options(self) -> None:
        result = self.run_it("--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("--keep", result.stdout)


if __name__ == "__main__":
    unittest.main()
