// The last message of a process that a signal kills.
#pragma once

/// Makes the fault signals (SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS) write one line to a descriptor
/// before they kill the process: the prefix, the signal, the address of the instruction.
///
/// The prefix is copied, at most 127 bytes of it. The handler runs on a separate stack, so that a stack overflow of the
/// calling thread is reported, too. Returns 0 or the negated errno. sigaction(2), sigaltstack(2), signal-safety(7)
int clinux_fatal_report(int descriptor, const char *prefix, _Bool ends_line);
