"""Tests of power cuts in the middle of a change: the permitted states, their notes, and the verifier."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from power_support import ROOT

from power.applying import BoardService, ClientFailed, Clients
from power.cycle import Cycle
from power.cycles import CLIENTS, Cycles
from power.oplog import Kind, Operation, OperationLog
from power.report import Report
from power.service import Service
from power.states import PARTS, allowed, differences, make_factory, may, read_archive, read_tree, tree
from vboard.board import Board

SERVICE = ROOT / ".build/debug/cleatd"


class StateTests(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)
        self.root = self.place / "root"
        make_factory(self.root)
        (self.place / "cleat/files/documents").mkdir(parents=True)

    def packed(self) -> bytes:
        content = io.BytesIO()
        with tarfile.open(fileobj=content, mode="w") as archive:
            for part in PARTS:
                archive.add(self.place / part, part)
        return content.getvalue()

    def test_a_state_is_every_entry_whole(self) -> None:
        self.assertEqual(differences(read_tree(self.place), tree(0)), [])
        self.assertEqual(read_archive(self.packed()), tree(0))
        self.assertEqual(len(differences(tree(1), tree(2))), 5)
        (self.root / "etc/localtime").symlink_to("../usr/share/zoneinfo/Etc/GMT-1")
        self.assertEqual(len(differences(read_archive(self.packed()), tree(0))), 1)
        for spoil in (lambda: (self.root / "etc/hostname").write_text("factor"),
                      lambda: (self.root / "etc/hostname").chmod(0o644),
                      lambda: (self.root / "etc/.cleat-write-1").write_text(""),
                      lambda: (self.root / "usr/share/zoneinfo/Etc/GMT-1").unlink(),
                      lambda: os.mkfifo(self.root / "etc/sysctl.d/60-cleat.conf"),
                      lambda: (self.place / "cleat/files/documents/demo").write_text("")):
            before = read_tree(self.place)
            spoil()
            after = read_tree(self.place)
            self.assertEqual(len(differences(after, before)), 1)
            self.assertEqual(after, read_archive(self.packed()))

    def test_a_cut_may_leave_the_states_of_the_last_note(self) -> None:
        log = OperationLog()
        for note in (may(0, 3), None, may(3, 3), "1", None, may(3, 5), None):
            log.note(note) if note else log.append(Operation(Kind.FLUSH))
        self.assertEqual([tuple(allowed(log, at).values()) for at in range(4)], [(0, 3), (3, 3), (3, 5), (3, 5)])
        self.assertEqual(tuple(allowed(OperationLog(), 9).values()), (0, 0))

    def test_clients_note_the_permitted_states_before_they_call(self) -> None:
        log = OperationLog()
        calls: list[tuple[tuple[str, ...], dict[str, int]]] = []

        class Asked(BoardService):
            """Answers everything, and has nothing to do."""

            def __init__(self) -> None:
                self.starts = 0

            def change(self, state: int) -> tuple[str, ...]:
                return "apply", str(state)

            def cleat(self, *words: str) -> int:
                calls.append((words, allowed(log, len(log))))
                log.append(Operation(Kind.FLUSH))
                return len(calls)

            def start(self, **environment: str) -> None:
                self.starts += 1

            def kill(self) -> None:
                pass

        service = Asked()
        Clients(service, log).run(0)
        state = 0
        for words, cut in calls:
            self.assertEqual(cut["before"], state)
            # A change on trial is undone by a cut, and so is one that is aborted.
            if "--confirm" in words or words[0] == "abort":
                self.assertEqual(cut["after"], state)
            state = cut["after"]
        self.assertEqual({words[0] for words, _ in calls}, {"apply", "confirm", "abort", "rollback", "unset"})
        self.assertEqual((service.starts, sum(note.text.isdigit() for note in log.notes)), (4, len(calls)))

    def test_a_failing_client_is_reported_and_no_state_is_noted(self) -> None:
        log = OperationLog()

        class Dead(BoardService):
            """Answers no call."""

            def __init__(self) -> None:
                pass

            def change(self, state: int) -> tuple[str, ...]:
                return "apply", str(state)

            def cleat(self, *words: str) -> int:
                raise ClientFailed("it has died")

        with self.assertRaises(ClientFailed):
            Clients(Dead(), log).run(0)
        self.assertEqual([note.text for note in log.notes], [may(0, 1)])

    def test_a_failed_reboot_is_reported_by_its_place(self) -> None:
        report = Report(1, "", cycles=[Cycle(1, place="arm ends", checked=["starts"]),
                                       Cycle(2, place="apply ends", checked=["starts"], problems=["gone"])])
        self.assertIn("FAILED the reboot after “apply ends”: gone", report.text(None))
        self.assertIn("1 of 2 reboots at the places of a change", report.text(None))
        self.assertEqual((report.passed, report.failed), (1, 1))


class CycleTests(unittest.TestCase):
    """The check of a board's service after a cut."""

    def problems(self, *notes: str) -> list[str]:
        answers = {"list": {"settings": [{"path": f"network/interfaces/{side}{client}/mtu", "value": 1000}
                                         for side in ("left", "right") for client in range(CLIENTS)]},
                   "status": {"store_notes": list(notes)}, "log": {"generations": [{"number": 2}, {"number": 1}]}}

        class Answering(Cycles):
            """Has the answers of a client without a board."""

            def _ask(self, board: Board, *words: str) -> object:
                return answers[words[0]]

        cycle = Cycle(1, acknowledged=[1000] * CLIENTS)
        Answering(Path(), Path(), Path(), 1, print)._check(None, cycle)  # type: ignore[arg-type]
        self.assertEqual(cycle.checked[-2:], ["not quarantined", "history"])
        return cycle.problems

    def test_a_store_that_was_damaged_is_a_problem(self) -> None:
        self.assertEqual(self.problems(), [])
        for note in ("“settings.db” was quarantined as “quarantined-1-settings.db”, because it is no database.",
                     "The settings were restored from the second copy, generation 7 of store 0a."):
            self.assertEqual(self.problems(note), [f"the store was damaged: {note}"])


@unittest.skipUnless(os.access(SERVICE, os.X_OK), "there is no .build/debug/cleatd: swift build --product cleatd")
class VerifierTests(unittest.TestCase):
    """The verifier of a disk, with the real service."""

    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)
        self.root = self.place / "store/root"
        self.root.parent.mkdir()
        make_factory(self.root)
        self.scratches = 0

    def scratch(self) -> Path:
        self.scratches += 1
        made = self.place / f"scratch{self.scratches}"
        made.mkdir()
        return made

    def set(self, number: int, **options: object) -> None:
        with Service(SERVICE, self.place / "store/cleat", self.root, self.scratch()) as service:
            service.make(number, **options)

    def verify(self, before: int, after: int, program: Path = SERVICE) -> dict[str, object]:
        done = subprocess.run(
            [sys.executable, "-B", str(ROOT / "cross/power/verify_service.py"), str(program), str(self.place / "store"),
             f"before={before}", f"after={after}", f"scratch={self.scratch()}"],
            capture_output=True, text=True, timeout=120, check=True)
        return dict(json.loads(done.stdout))

    def test_a_permitted_state_passes(self) -> None:
        for number in (0, 4):
            if number:
                self.set(number)
            found = self.verify(0, number)
            self.assertEqual((found["problems"], found["found"]), ([], number))
            self.assertIn("goes on", found["checked"])
            self.assertEqual(differences(read_tree(self.place / "store"), tree(0)), [])

    def test_another_state_is_lost(self) -> None:
        self.set(4)
        self.assertEqual([one["kind"] for one in self.verify(3, 5)["problems"]], ["lost"])

    def test_a_file_that_is_not_of_the_state_is_corrupt(self) -> None:
        self.set(4)
        content = (self.root / "etc/demo.conf").read_bytes()
        (self.root / "etc/demo.conf").write_bytes(content[:2000])
        problems = self.verify(4, 4)["problems"]
        self.assertTrue(problems and all(one["kind"] == "corrupt" for one in problems), problems)

    def test_a_quarantined_store_is_lost(self) -> None:
        self.set(4)
        (self.place / "store/cleat/settings.db").write_bytes(b"damaged" * 1000)
        found = self.verify(4, 4)
        self.assertIn("was quarantined as", " ".join(one["text"] for one in found["problems"]))
        self.assertIn("not quarantined", found["checked"])

    def test_a_service_that_does_not_start_is_corrupt(self) -> None:
        (self.place / "dies").write_text("#!/bin/sh\necho no disk >&2\nexit 3\n")
        (self.place / "dies").chmod(0o755)
        problems = self.verify(0, 0, self.place / "dies")["problems"]
        self.assertEqual(len(problems), 1)
        self.assertIn("no disk", problems[0]["text"])


if __name__ == "__main__":
    unittest.main()
