"""Runs a program whose kernel lacks some system calls: `without_calls.py NUMBER[,NUMBER…] PROGRAM [ARGUMENT…]`.

A seccomp filter answers ENOSYS to them, for the program and all that it starts, as a kernel without them would.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
#: Load a word, jump if equal, return: `BPF_LD|BPF_W|BPF_ABS`, `BPF_JMP|BPF_JEQ|BPF_K`, `BPF_RET|BPF_K`.
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000


class Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def deny(numbers: list[int]) -> None:
    """Has the calling process, and whatever it becomes, do without the calls of these numbers."""
    code = struct.pack("HBBI", LOAD, 0, 0, 0)
    for index, number in enumerate(numbers):
        # Each match jumps over the other comparisons and the return that allows.
        code += struct.pack("HBBI", JUMP_IF_EQUAL, len(numbers) - index, 0, number)
    code += struct.pack("HBBI", RETURN, 0, 0, ALLOW) + struct.pack("HBBI", RETURN, 0, 0, FAIL | errno.ENOSYS)
    program = Program(len(code) // 8, code)
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    for arguments in [(PR_SET_NO_NEW_PRIVS, 1, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program))]:
        if prctl(arguments[0], arguments[1], arguments[2], 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "seccomp is refused")


if __name__ == "__main__":
    deny([int(number) for number in sys.argv[1].split(",")])
    os.execvp(sys.argv[2], sys.argv[2:])
