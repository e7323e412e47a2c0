#ifndef CLINUX_COMMAND_H
#define CLINUX_COMMAND_H

// Runs a program on the caller's own terminal while a signal may end this process: see clinux_root_hear_signals.

/// Starts a program with the signal mask that this process had before clinux_root_hear_signals.
///
/// Its orphaned descendants become children of this process (PR_SET_CHILD_SUBREAPER, prctl(2)). Returns the PID, or the
/// negated errno.
int clinux_command_start(char *const arguments[]);
/// Sends a signal to every descendant of this process that is in its session, or in a session that the program itself
/// has made: a descendant with another session is a service. Stopped processes are continued. 0 sends nothing.
///
/// Returns the number of such descendants, or the negated errno if /proc cannot be read.
int clinux_command_signal(int number);
/// Reaps the program's orphaned descendants that have ended; not the program itself, nor processes that
/// clinux_spawn_piped has started.
void clinux_command_reap(void);
/// Returns 1 if this process does not ignore a signal, 0 if it does.
int clinux_command_heeds(int number);
/// Discards unread signals of a descriptor, unblocks its signals, ends the adoption of orphans, and closes it.
void clinux_command_finish(int signals);

#endif
