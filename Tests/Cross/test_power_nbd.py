"""Tests of the NBD server: what a client may say, and what it may do wrong."""

from __future__ import annotations

import socket
import struct
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from power_support import LIMIT, SIZE, WithDisk

from power import nbd
from power.oplog import Kind


class Client:
    """Speaks NBD as far as the tests need it."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LIMIT)
        self.socket.connect(str(path))

    def receive(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def hello(self, flags: int = 3) -> None:
        magic, options, _ = struct.unpack(">QQH", self.receive(18))
        assert (magic, options) == (nbd.MAGIC, nbd.OPTION_MAGIC)
        self.socket.sendall(struct.pack(">I", flags))

    def option(self, option: int, data: bytes = b"") -> list[tuple[int, bytes]]:
        self.socket.sendall(struct.pack(">QII", nbd.OPTION_MAGIC, option, len(data)) + data)
        replies = []
        while True:
            magic, what, kind, length = struct.unpack(">QIII", self.receive(20))
            assert (magic, what) == (nbd.OPTION_REPLY_MAGIC, option)
            replies.append((kind, self.receive(length)))
            if kind == nbd.REP_ACK or kind >> 31:
                return replies

    def go(self) -> "Client":
        self.hello()
        assert self.option(nbd.OPT_GO, struct.pack(">IH", 0, 0))[-1][0] == nbd.REP_ACK
        return self

    def send(self, command: int, offset: int = 0, length: int = 0, data: bytes = b"", flags: int = 0,
             handle: int = 1) -> None:
        self.socket.sendall(struct.pack(">IHHQQI", nbd.REQUEST_MAGIC, flags, command, handle, offset, length) + data)

    def reply(self, length: int = 0) -> tuple[int, int, bytes]:
        magic, error, handle = struct.unpack(">IIQ", self.receive(16))
        assert magic == nbd.REPLY_MAGIC
        return error, handle, b"" if error else self.receive(length)

    def ask(self, command: int, offset: int = 0, length: int = 0, data: bytes = b"", flags: int = 0) -> int:
        self.send(command, offset, length, data, flags)
        return self.reply(length if command == nbd.READ else 0)[0]

    def ended(self) -> bool:
        """Returns True if the server has closed the connection."""
        try:
            return not self.socket.recv(1)
        except ConnectionResetError:
            return True

    def close(self) -> None:
        self.socket.close()


class ProtocolTests(WithDisk):
    def setUp(self) -> None:
        super().setUp()
        self.server = nbd.NBDServer(self.disk, self.directory / "nbd.sock")
        self.server.start()
        self.addCleanup(self.server.stop)

    def client(self) -> Client:
        client = Client(self.server.path)
        self.addCleanup(client.close)
        return client

    def assert_serves(self) -> None:
        """The server still serves a well-behaved client."""
        client = self.client().go()
        self.assertEqual(client.ask(nbd.READ, 0, 512), 0)
        client.send(nbd.DISCONNECT)
        self.assertTrue(client.ended())

    def test_a_client_gets_the_size_and_the_flags_of_the_disk(self) -> None:
        client = self.client()
        client.hello()
        replies = client.option(nbd.OPT_GO, struct.pack(">I4sHH", 4, b"disk", 1, nbd.INFO_BLOCK_SIZE))
        self.assertEqual(replies[0], (nbd.REP_INFO, struct.pack(">HQH", 0, SIZE, 1 | 4 | 8 | 32 | 64)))
        self.assertEqual(replies[-1], (nbd.REP_ACK, b""))

    def test_the_old_way_to_name_an_export_works_with_and_without_padding(self) -> None:
        for flags, padding in ((1, 124), (3, 0)):
            client = self.client()
            client.hello(flags)
            client.socket.sendall(struct.pack(">QII", nbd.OPTION_MAGIC, nbd.OPT_EXPORT_NAME, 1) + b"x")
            size, _ = struct.unpack(">QH", client.receive(10))
            self.assertEqual((size, client.receive(padding)), (SIZE, bytes(padding)))
            self.assertEqual(client.ask(nbd.FLUSH), 0)
            client.close()

    def test_other_options_are_answered_and_the_negotiation_continues(self) -> None:
        client = self.client()
        client.hello()
        self.assertEqual(client.option(nbd.OPT_LIST)[0], (nbd.REP_SERVER, bytes(4)))
        self.assertEqual(client.option(nbd.OPT_LIST, b"x"), [(nbd.REP_INVALID, b"")])
        self.assertEqual(client.option(8), [(nbd.REP_UNSUPPORTED, b"")])
        self.assertEqual(client.option(77, b"junk"), [(nbd.REP_UNSUPPORTED, b"")])
        self.assertEqual(client.option(nbd.OPT_GO, b"abc"), [(nbd.REP_INVALID, b"")])
        self.assertEqual(client.option(nbd.OPT_GO, struct.pack(">IH", 1 << 30, 0)), [(nbd.REP_INVALID, b"")])
        self.assertEqual(client.option(nbd.OPT_GO, struct.pack(">IH", 0, 9)), [(nbd.REP_INVALID, b"")])
        self.assertEqual(client.option(5, bytes(nbd.OPTION_LIMIT + 1)), [(nbd.REP_TOO_BIG, b"")])
        self.assertEqual(client.option(nbd.OPT_INFO, bytes(6))[-1][0], nbd.REP_ACK)
        self.assertEqual(client.option(nbd.OPT_GO, bytes(6))[-1][0], nbd.REP_ACK)
        self.assertEqual(client.ask(nbd.FLUSH), 0)

    def test_an_abort_is_answered_and_ends_the_connection(self) -> None:
        client = self.client()
        client.hello()
        self.assertEqual(client.option(nbd.OPT_ABORT), [(nbd.REP_ACK, b"")])
        self.assertTrue(client.ended())
        self.assert_serves()

    def test_a_bad_handshake_ends_the_connection_and_not_the_server(self) -> None:
        for greeting in (struct.pack(">I", 0), struct.pack(">I", 0xFFFFFFFF), struct.pack(">I", 3) + b"GET / HTTP/1.1\r\n\r\n"):
            client = self.client()
            client.receive(18)
            client.socket.sendall(greeting)
            self.assertTrue(client.ended())
            self.assert_serves()

    def test_a_client_that_leaves_in_the_middle_of_anything_is_forgotten(self) -> None:
        def in_greeting(client: Client) -> None:
            client.receive(3)

        def in_flags(client: Client) -> None:
            client.socket.sendall(b"\0\0")

        def in_option(client: Client) -> None:
            client.hello()
            client.socket.sendall(struct.pack(">QII", nbd.OPTION_MAGIC, nbd.OPT_GO, 100) + b"short")

        def in_large_option(client: Client) -> None:
            client.hello()
            client.socket.sendall(struct.pack(">QII", nbd.OPTION_MAGIC, 99, 0xFFFFFFFF) + b"short")

        def in_request(client: Client) -> None:
            client.go().socket.sendall(struct.pack(">IH", nbd.REQUEST_MAGIC, 0))

        def in_data(client: Client) -> None:
            client.go().send(nbd.WRITE, 0, 4096, b"half")

        for leave in (in_greeting, in_flags, in_option, in_large_option, in_request, in_data):
            with self.subTest(leave.__name__):
                client = self.client()
                leave(client)
                client.close()
                self.assert_serves()
        self.assertEqual(len(self.disk.log), 0)

    def test_an_invalid_request_ends_the_connection(self) -> None:
        client = self.client().go()
        client.socket.sendall(b"x" * 28)
        self.assertTrue(client.ended())
        client = self.client().go()
        client.send(nbd.WRITE, 0, nbd.REQUEST_LIMIT + 1)
        self.assertTrue(client.ended())
        self.assert_serves()

    def test_out_of_range_is_an_error_that_changes_nothing(self) -> None:
        client = self.client().go()
        for offset, length in ((SIZE, 1), (SIZE - 1, 2), ((1 << 64) - 1, 1), (1 << 63, 512)):
            self.assertEqual(client.ask(nbd.READ, offset, length), nbd.EINVAL)
            self.assertEqual(client.ask(nbd.WRITE, offset, length, b"x" * length), nbd.ENOSPC)
            self.assertEqual(client.ask(nbd.WRITE_ZEROES, offset, length), nbd.ENOSPC)
            self.assertEqual(client.ask(nbd.TRIM, offset, length), nbd.EINVAL)
        self.assertEqual(client.ask(nbd.WRITE_ZEROES, 0, (1 << 32) - 1), nbd.ENOSPC)
        self.assertEqual(client.ask(17), nbd.EINVAL)
        self.assertEqual(client.ask(nbd.WRITE, 0, 1, b"x", flags=1 << 9), nbd.EINVAL)
        self.assertEqual(client.ask(nbd.READ, SIZE - 512, 512), 0)
        self.assertEqual(len(self.disk.log), 0)

    def test_flush_fua_trim_and_zeroes_reach_the_disk_as_such(self) -> None:
        client = self.client().go()
        self.assertEqual(client.ask(nbd.WRITE, 0, 4, b"abcd"), 0)
        self.assertEqual(client.ask(nbd.WRITE, 4, 4, b"efgh", flags=nbd.FUA), 0)
        self.assertEqual(client.ask(nbd.WRITE_ZEROES, 0, 2, flags=nbd.NO_HOLE), 0)
        self.assertEqual(client.ask(nbd.WRITE_ZEROES, 2, 1, flags=nbd.FUA), 0)
        self.assertEqual(client.ask(nbd.TRIM, 512, 512), 0)
        self.assertEqual(client.ask(nbd.CACHE, 0, 512), 0)
        self.assertEqual(client.ask(nbd.FLUSH), 0)
        self.assertEqual([operation.kind for operation in self.disk.log.operations],
                         [Kind.WRITE, Kind.WRITE_FUA, Kind.ZERO, Kind.ZERO_FUA, Kind.ZERO, Kind.FLUSH])
        client.send(nbd.READ, 0, 8)
        self.assertEqual(client.reply(8)[2], b"\0\0\0defgh")
        self.assertEqual(self.medium()[:8], b"\0\0\0defgh")

    def test_many_requests_at_once_are_answered_in_order(self) -> None:
        client = self.client().go()
        for handle in range(50):
            client.send(nbd.WRITE, handle * 512, 512, bytes([handle]) * 512, handle=handle)
        client.send(nbd.FLUSH, handle=50)
        self.assertEqual([client.reply()[:2] for _ in range(51)], [(0, handle) for handle in range(51)])
        self.assertEqual(self.medium()[49 * 512:50 * 512], bytes([49]) * 512)

    def test_a_disk_without_power_does_not_answer_and_the_server_still_stops(self) -> None:
        client = self.client().go()
        self.disk.cut_after(0)
        client.send(nbd.FLUSH)
        self.assertTrue(self.disk.power_failed.wait(LIMIT))
        client.socket.settimeout(0.05)
        with self.assertRaises(TimeoutError):
            client.reply()
        self.server.stop()
        self.assertFalse(any(thread.name.startswith("nbd") for thread in threading.enumerate()))

    def test_a_server_stops_with_and_without_a_client(self) -> None:
        self.client().go()
        self.server.stop()
        self.assertFalse(self.server.path.exists())
        self.server.stop()
        with nbd.NBDServer(self.disk, self.server.path):
            self.assert_serves()


if __name__ == "__main__":
    unittest.main()
