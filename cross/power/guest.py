"""Runs the writers in a real arm64 kernel, on disks whose every operation is logged."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Callable, Sequence

from vboard.board import Board, BoardError, Disk
from vboard.machine import MOST_DISKS

from .applying import BoardService, Clients, Programs
from .disk import VolatileDisk
from .nbd import NBDServer
from .recording import Recording
from .variants import PLACE, Variant, make_disk

WRITER = "/tmp/StoreWriter"
LINE_LIMIT = 60.0


class GuestFailed(Exception):
    """The guest failed; the run has no result about power cuts."""


def device(board: Board, serial: str) -> str:
    """Returns the board's name for a disk: the kernel chooses the order of the names."""
    found = board.run(f"for d in /sys/block/vd*; do [ \"$(cat $d/serial)\" = {serial} ] && echo ${{d##*/}}; done; true")
    name = found.text.strip()
    if not name:
        raise GuestFailed(f"the board shows no disk {serial}")
    return f"/dev/{name}"


def mount(board: Board, serial: str, where: str, options: str) -> None:
    """Mounts a disk on the board."""
    result = board.run(f"mkdir -p {where} && mount -t ext4 -o {options} {device(board, serial)} {where}")
    if result.status != 0:
        raise GuestFailed(f"the board could not mount {serial}: {result.error_text.strip()}")


def record(variants: Sequence[Variant], programs: Programs, work: Path, seconds: int,
           say: Callable[[str], None], logs: Path | None = None) -> list[Recording]:
    """Runs each variant for so many seconds, one after the other, and returns their logs.

    A board runs as many of them in one boot as it supports disks.
    """
    recordings = []
    for start in range(0, len(variants), MOST_DISKS):
        recordings += _record_in_one_boot(variants[start:start + MOST_DISKS], programs, work, seconds, say, logs)
    return recordings


def _record_in_one_boot(variants: Sequence[Variant], programs: Programs, work: Path, seconds: int,
                        say: Callable[[str], None], logs: Path | None) -> list[Recording]:
    recordings = []
    with contextlib.ExitStack() as stack:
        disks = []
        for variant in variants:
            base = work / f"{variant.name}.base"
            make_disk(base, system=variant.serves)
            live = work / f"{variant.name}.live"
            live.write_bytes(base.read_bytes())
            disk = VolatileDisk(live)
            stack.callback(disk.close)
            server = stack.enter_context(NBDServer(disk, work / f"{variant.name}.sock"))
            disks.append(Disk(server.uri, serial=variant.name))
            recordings.append(Recording(variant, base, disk.log))
        say("starting the board")
        with Board.start("bare", disks=disks, log_directory=logs) as board:
            if not all(variant.serves for variant in variants):
                board.put(programs.writer, WRITER)
            for recording in recordings:
                if recording.variant.serves:
                    _serve(board, recording, programs, seconds)
                else:
                    _run(board, recording, seconds)
                count = sum(note.text.isdigit() for note in recording.log.notes)
                say(f"{recording.variant.name}: {count} acknowledged, {len(recording.log)} operations, "
                    f"{len(recording.log.flushes)} flushes")
    return recordings


def _serve(board: Board, recording: Recording, programs: Programs, seconds: int) -> None:
    variant = recording.variant
    where = f"/mnt/{variant.name}"
    mount(board, variant.name, where, variant.mount_options)
    try:
        with BoardService(board, programs, f"{where}/{PLACE}") as service:
            clients = Clients(service, recording.log)
            # A control has lost something after one change already.
            clients.run(0, least=1) if variant.control else clients.run(seconds)
    except BoardError as error:
        raise GuestFailed(f"{variant.name}: {error}") from error


def _run(board: Board, recording: Recording, seconds: int) -> None:
    variant = recording.variant
    where = f"/mnt/{variant.name}"
    mount(board, variant.name, where, variant.mount_options)
    words = [WRITER, variant.mode, f"{where}/{PLACE}", f"seconds={seconds}", *variant.options]
    ended = ""
    with board.spawn(words) as process:
        for line in process.lines(LINE_LIMIT + seconds):
            # The disk logs before it answers and the guest prints after the answer: the acknowledged operations are
            # in the log already.
            recording.log.note(line)
            ended = line
        status = process.wait()
    notes = [note.text for note in recording.log.notes if note.text.startswith(("error", "note"))]
    if status != 0 or ended != "done" or notes:
        said = "; ".join(notes) or process.err.decode("utf-8", "replace").strip()[-300:] or ended
        raise GuestFailed(f"{variant.name}: the writer ended with status {status}: {said}")
