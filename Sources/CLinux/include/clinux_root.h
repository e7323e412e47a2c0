#ifndef CLINUX_ROOT_H
#define CLINUX_ROOT_H

// Starts a service and a command that it runs for, and receives the signals that end them.

/// Makes a socket at a path to which a service sends READY=1 (sd_notify(3)); returns it, or the negated errno.
int clinux_root_listen(const char *path);
/// Receives one message on such a socket, without waiting; returns its length, or the negated errno.
long clinux_root_receive(int fd, void *buffer, unsigned long size);

/// Blocks SIGINT, SIGQUIT, SIGTERM, SIGHUP and SIGCHLD, and opens a descriptor that receives them (signalfd(2));
/// returns it, or the negated errno.
int clinux_root_hear_signals(void);
/// Reads one of those signals, without waiting; returns its number, or the negated errno. `typed` is set to 1 if the
/// terminal has sent it, to the whole foreground group.
int clinux_root_next_signal(int fd, int *typed);

/// Locks a directory against other holders of such a lock, and waits at most a number of seconds for it. flock(2)
///
/// Returns a descriptor that holds the lock, -EWOULDBLOCK if another process still holds it, or the negated errno.
int clinux_root_lock(const char *directory, int seconds);

/// Returns the environment of this process. environ(7)
char **clinux_root_environment(void);
/// Starts a program with default signal actions; returns the PID, or the negated errno.
///
/// With a `service_log` of at least 0 the program is a service: it gets a process group of its own, so that signals
/// from the terminal do not reach it, reads /dev/null, writes both output streams to `service_log`, and gets SIGTERM
/// when this process ends.
int clinux_root_start(const char *program, char *const arguments[], char *const environment[], int service_log);
/// Checks without waiting if a child has ended, with its waitpid(2) status: 1 if it has, 0 if not, or the negated
/// errno.
int clinux_root_ended(int process, int *status);
/// Ends this process by a signal with its default action, even if the signal was blocked.
void clinux_root_end_by(int number);

#endif
