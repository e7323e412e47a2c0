#ifndef CLINUX_COMMAND_H
#define CLINUX_COMMAND_H

// For a program that runs on the caller's own terminal while something else may end it: see clinux_root_hear_signals.

/// Starts a program with the signals as this process got them, after clinux_root_hear_signals; what it leaves behind
/// becomes a child of this process (PR_SET_CHILD_SUBREAPER, prctl(2)). Returns the process, or the negated errno.
int clinux_command_start(char *const arguments[]);
/// Sends a signal to every process that this one has started, however indirectly, and that is in its session, or in one
/// that the program itself has made: what else has made a session of its own is a service. What is stopped goes on to
/// hear of it. 0 sends nothing.
///
/// Returns how many there are, or the negated errno where /proc cannot be read.
int clinux_command_signal(int number);
/// Waits for what has ended of what the program has left behind; not for the program, nor for what clinux_spawn_piped
/// has started.
void clinux_command_reap(void);
/// Whether a signal would end this process: it was not told to ignore it.
int clinux_command_heeds(int number);
/// Lets go of the signals that a descriptor had kept, and forgets those that nobody has read.
void clinux_command_finish(int signals);

#endif
