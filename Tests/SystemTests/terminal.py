"""Runs a program on a terminal of its own and does what a person would.

usage: terminal.py PROGRAM [ARGUMENT...] -- STEP...

A step is `see:TEXT` (waits until it is shown, after what was seen before), `type:TEXT`, `kill:NUMBER` (a signal to the
program), `echo:on` or `echo:off` (asserts what the terminal does now). All that was shown goes to standard output, then
a line `exit N` or `signal N`, then `echo on` or `echo off`. pty(7), termios(3), pidfd_open(2)
"""

import fcntl
import os
import select
import signal
import sys
import termios
import time

PATIENCE = 45


def main():
    split = sys.argv.index("--")
    program, steps = sys.argv[1:split], sys.argv[split + 1 :]
    master, slave = os.openpty()
    child = os.fork()
    if child == 0:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for number in (0, 1, 2):
            os.dup2(slave, number)
        # Python ignores it; a shell would not have it so.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.closerange(3, 256)
        os.execv(program[0], program)
    ended = os.pidfd_open(child)
    until = time.monotonic() + PATIENCE
    shown = b""
    seen = 0

    def more():
        """Waits for text or the end; says whether the program still runs."""
        nonlocal shown
        ready, _, _ = select.select([master, ended], [], [], max(0, until - time.monotonic()))
        if not ready:
            os.kill(child, signal.SIGKILL)
            sys.exit("it took too long: " + shown.decode(errors="replace"))
        if master in ready:
            shown += os.read(master, 65536)
            return True
        return False

    def echo():
        return "on" if termios.tcgetattr(slave)[3] & termios.ECHO else "off"

    for step in steps:
        kind, _, text = step.partition(":")
        if kind == "see":
            while text.encode() not in shown[seen:]:
                if not more():
                    sys.exit(f"it ended before {text!r}: " + shown.decode(errors="replace"))
            seen = shown.index(text.encode(), seen) + len(text.encode())
        elif kind == "type":
            os.write(master, text.encode())
        elif kind == "kill":
            os.kill(child, int(text))
        elif kind == "echo":
            if echo() != text:
                os.kill(child, signal.SIGKILL)
                sys.exit(f"the echo is {echo()}: " + shown.decode(errors="replace"))
        else:
            sys.exit("no such step: " + step)
    while more():
        pass
    status = os.waitpid(child, 0)[1]
    sys.stdout.write(shown.decode(errors="replace").replace("\r\n", "\n"))
    end = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}"
    sys.stdout.write(f"\n{end}\necho {echo()}\n")


main()
