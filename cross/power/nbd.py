"""An NBD server for one disk and one client at a time, on a Unix socket: what QEMU needs, and no more.

The protocol is https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md: fixed newstyle negotiation, simple
replies, one request after the other, so that the log's order is the order in which the disk took the requests.
"""

from __future__ import annotations

import os
import socket
import struct
import threading
from pathlib import Path

from .disk import PowerIsOff, VolatileDisk

MAGIC = 0x4E42444D41474943
OPTION_MAGIC = 0x49484156454F5054
OPTION_REPLY_MAGIC = 0x0003E889045565A9
REQUEST_MAGIC = 0x25609513
REPLY_MAGIC = 0x67446698

FIXED_NEWSTYLE, NO_ZEROES = 1, 2
OPT_EXPORT_NAME, OPT_ABORT, OPT_LIST, OPT_INFO, OPT_GO = 1, 2, 3, 6, 7
REP_ACK, REP_SERVER, REP_INFO = 1, 2, 3
REP_UNSUPPORTED, REP_INVALID, REP_UNKNOWN, REP_TOO_BIG = (1 << 31 | code for code in (1, 3, 6, 9))
INFO_EXPORT, INFO_BLOCK_SIZE = 0, 3

READ, WRITE, DISCONNECT, FLUSH, TRIM, CACHE, WRITE_ZEROES = range(7)
FUA, NO_HOLE = 1, 2
EXPORT_FLAGS = 1 | 4 | 8 | 32 | 64
"""Flags are there; flush, FUA, trim, write-zeroes."""

EINVAL, ENOSPC = 22, 28
OPTION_LIMIT = 4096
REQUEST_LIMIT = 32 << 20


class Disconnected(Exception):
    """The client went away, or broke the protocol so that nothing after it can be understood."""


class NBDServer:
    """Serves a disk until it is stopped; a client that breaks the protocol loses its connection, never the server.

    As a context manager it starts at once and stops at the end.
    """

    def __init__(self, disk: VolatileDisk, path: Path) -> None:
        self.disk = disk
        self.path = path
        self._listener = socket.socket(socket.AF_UNIX)
        self._client: socket.socket | None = None
        self._lock = threading.Lock()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=f"nbd {path.name}", daemon=True)

    @property
    def uri(self) -> str:
        """The address for QEMU."""
        return f"nbd+unix:///?socket={self.path}"

    def start(self) -> None:
        """Listens, and serves from a thread of its own."""
        self.path.unlink(missing_ok=True)
        self._listener.bind(str(self.path))
        os.chmod(self.path, 0o600)
        self._listener.listen(1)
        self._thread.start()

    def stop(self) -> None:
        """Ends the connection and the thread; the disk keeps what it has."""
        with self._lock:
            self._stopping = True
            client = self._client
        for one in (client, self._listener):
            if one is not None:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        self._thread.join(10)
        self._listener.close()
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> NBDServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _run(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                with self._lock:
                    if self._stopping:
                        return
                    self._client = connection
                try:
                    _negotiate(connection, self.disk.size)
                    self._serve(connection)
                except (Disconnected, OSError):
                    pass
                except PowerIsOff:
                    # A disk without power neither answers nor hangs up; the host ends the board.
                    self._wait_for_end(connection)
                with self._lock:
                    self._client = None

    @staticmethod
    def _wait_for_end(connection: socket.socket) -> None:
        try:
            while connection.recv(1 << 16):
                pass
        except OSError:
            pass

    def _serve(self, connection: socket.socket) -> None:
        while True:
            magic, flags, command, handle, offset, length = struct.unpack(">IHHQQI", _receive(connection, 28))
            if magic != REQUEST_MAGIC:
                raise Disconnected("no request")
            data = b""
            if command == WRITE:
                if length > REQUEST_LIMIT:
                    raise Disconnected("the write is too large")
                data = _receive(connection, length)
            if command == DISCONNECT:
                return
            error, answer = self._perform(command, flags, offset, length, data)
            connection.sendall(struct.pack(">IIQ", REPLY_MAGIC, error, handle) + answer)

    def _perform(self, command: int, flags: int, offset: int, length: int, data: bytes) -> tuple[int, bytes]:
        disk = self.disk
        durable = bool(flags & FUA)
        if flags & ~(FUA | NO_HOLE):
            return EINVAL, b""
        if command == FLUSH:
            disk.flush()
            return 0, b""
        if command not in (READ, WRITE, TRIM, CACHE, WRITE_ZEROES):
            return EINVAL, b""
        if offset + length > disk.size:
            return (ENOSPC if command in (WRITE, WRITE_ZEROES) else EINVAL), b""
        if command == READ:
            return (EINVAL, b"") if length > REQUEST_LIMIT else (0, disk.read(offset, length))
        if command == WRITE:
            disk.write(offset, data, durable=durable)
        elif command in (TRIM, WRITE_ZEROES):
            disk.zero(offset, length, durable=durable)
        return 0, b""


def _negotiate(connection: socket.socket, size: int) -> None:
    connection.sendall(struct.pack(">QQH", MAGIC, OPTION_MAGIC, FIXED_NEWSTYLE | NO_ZEROES))
    (client_flags,) = struct.unpack(">I", _receive(connection, 4))
    if client_flags & ~(FIXED_NEWSTYLE | NO_ZEROES) or not client_flags & FIXED_NEWSTYLE:
        raise Disconnected("unknown flags")
    while True:
        magic, option, length = struct.unpack(">QII", _receive(connection, 16))
        if magic != OPTION_MAGIC:
            raise Disconnected("no option")
        if length > OPTION_LIMIT:
            _discard(connection, length)
            _answer(connection, option, REP_TOO_BIG)
            continue
        data = _receive(connection, length)
        if option == OPT_EXPORT_NAME:
            padding = b"" if client_flags & NO_ZEROES else bytes(124)
            connection.sendall(struct.pack(">QH", size, EXPORT_FLAGS) + padding)
            return
        if option in (OPT_INFO, OPT_GO):
            if not _is_information_request(data):
                _answer(connection, option, REP_INVALID)
                continue
            _answer(connection, option, REP_INFO, struct.pack(">HQH", INFO_EXPORT, size, EXPORT_FLAGS))
            _answer(connection, option, REP_INFO, struct.pack(">HIII", INFO_BLOCK_SIZE, 1, 4096, REQUEST_LIMIT))
            _answer(connection, option, REP_ACK)
            if option == OPT_GO:
                return
        elif option == OPT_LIST:
            if length:
                _answer(connection, option, REP_INVALID)
                continue
            _answer(connection, option, REP_SERVER, struct.pack(">I", 0))
            _answer(connection, option, REP_ACK)
        elif option == OPT_ABORT:
            _answer(connection, option, REP_ACK)
            raise Disconnected("the client gave up")
        else:
            _answer(connection, option, REP_UNSUPPORTED)


def _is_information_request(data: bytes) -> bool:
    """True if the name and the list of requests fill the data; there is one disk, and the name is ignored."""
    if len(data) < 6:
        return False
    (name,) = struct.unpack_from(">I", data)
    if len(data) < 6 + name:
        return False
    (count,) = struct.unpack_from(">H", data, 4 + name)
    return len(data) == 6 + name + 2 * count


def _answer(connection: socket.socket, option: int, kind: int, data: bytes = b"") -> None:
    connection.sendall(struct.pack(">QIII", OPTION_REPLY_MAGIC, option, kind, len(data)) + data)


def _receive(connection: socket.socket, count: int) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        part = connection.recv(min(count - len(parts), 1 << 20))
        if not part:
            raise Disconnected("the client went away")
        parts += part
    return bytes(parts)


def _discard(connection: socket.socket, count: int) -> None:
    while count > 0:
        part = connection.recv(min(count, 1 << 16))
        if not part:
            raise Disconnected("the client went away")
        count -= len(part)
