#ifndef CLINUX_ROOT_H
#define CLINUX_ROOT_H

// For a service that runs for one command: it and the command are started here, and what ends them is heard.

/// Makes a socket at a path that a service says READY=1 to (sd_notify(3)); returns it, or the negated errno.
int clinux_root_listen(const char *path);
/// Reads one message of such a socket, without waiting; returns its length, or the negated errno.
long clinux_root_receive(int fd, void *buffer, unsigned long size);

/// Keeps SIGINT, SIGQUIT, SIGTERM, SIGHUP and SIGCHLD for a descriptor (signalfd(2)); returns it, or the negated errno.
int clinux_root_hear_signals(void);
/// Reads one of those signals, without waiting; returns its number, or the negated errno. Typed is 1 where the terminal
/// has sent it, to all in the foreground.
int clinux_root_next_signal(int fd, int *typed);

/// Locks a directory against others who do the same, and waits for that for a number of seconds at most. flock(2)
///
/// Returns a descriptor that holds it, -EWOULDBLOCK where somebody else still has it, or the negated errno.
int clinux_root_lock(const char *directory, int seconds);

/// The environment of this process. environ(7)
char **clinux_root_environment(void);
/// Starts a program with signals as they are by default; returns the process, or the negated errno.
///
/// A service gets a process group of its own, so that what is typed at the terminal is not for it, reads nothing, writes
/// both its streams to a file, and is ended by SIGTERM when this process ends.
int clinux_root_start(const char *program, char *const arguments[], char *const environment[], int service_log);
/// How a child has ended, as waitpid(2) tells it, without waiting: 1 where it has, 0 where not yet, or the negated errno.
int clinux_root_ended(int process, int *status);
/// Ends this process by a signal, as if it had never been kept.
void clinux_root_end_by(int number);

#endif
