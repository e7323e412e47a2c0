"""The far end of a serial line that a board has plugged in."""

from __future__ import annotations

import socket
import time

from .errors import BoardError, BoardTimeout


class SerialLine:
    """The output of the board on its serial line; nothing can be sent.

    The usb-serial of qemu 7.2 stops the whole emulator for good at the first byte that comes from its far end while the
    board has the line open, so there is no way to do that by accident.
    """

    def __init__(self, wire: socket.socket) -> None:
        self._wire = wire
        self._received = b""

    def read_line(self, timeout: float = 30) -> str:
        """Returns the next line that the board has written, without its end."""
        deadline = time.monotonic() + timeout
        while b"\n" not in self._received:
            self._wire.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                piece = self._wire.recv(4096)
            except TimeoutError:
                raise BoardTimeout(f"no line came over the serial line within {timeout:g} s; "
                                   f"so far: {self._received!r}") from None
            if not piece:
                raise BoardError(f"the serial line has ended; so far: {self._received!r}")
            self._received += piece
        line, _, self._received = self._received.partition(b"\n")
        return line.decode("utf-8", "replace").removesuffix("\r")

    def close(self) -> None:
        """Closes the line."""
        self._wire.close()
