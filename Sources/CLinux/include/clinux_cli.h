// Starts the programs that the command line speaks through, such as ssh.

#ifndef CLINUX_CLI_H
#define CLINUX_CLI_H

#include <sys/types.h>

/// Starts a program, looked up on PATH, with three descriptors as its standard ones, the caller's environment, SIGPIPE
/// as it is by default, and SIGINT, SIGQUIT, SIGTERM, SIGHUP and SIGCHLD not blocked. posix_spawnp(3)
///
/// Returns the process, or the negated errno.
int clinux_spawn_piped(char *const arguments[], int input, int output, int complaints);
/// Whether a process is one of the last sixteen that were started so.
int clinux_cli_is_piped(int process);

/// Has a file of an open directory removed where SIGINT, SIGTERM or SIGHUP ends the process; a null name ends that.
///
/// One file at a time; a name of more than 255 bytes, and a signal that is ignored, are left alone.
void clinux_cli_remove_when_ended(int directory, const char *name);

/// Keeps the terminal on standard input from showing what is typed, until the other one is called or a signal ends the
/// process. tcsetattr(3)
void clinux_cli_hide_input(void);
void clinux_cli_show_input(void);

/// Has a file of an open directory, and the directory at a path, removed where SIGINT, SIGQUIT, SIGTERM or SIGHUP ends
/// the process; a null name ends that.
///
/// Where the file holds somebody's work, it stays, and the message is written to standard error. Names and messages
/// that are too long, and signals that are ignored, are left alone.
void clinux_cli_clear_when_ended(int directory, const char *name, const char *path, const char *message);

/// Says whether that file holds work: 1 it does, 0 it does once it is not what it is now (unless it did before), -1 it
/// does not, whatever becomes of it.
void clinux_cli_mark_work(int holds);

/// Runs a program on the caller's own terminal to its end, as system(3) does: SIGINT and SIGQUIT are the program's.
///
/// Returns what waitpid(2) told, or the negated errno.
int clinux_cli_run(char *const arguments[]);

#endif
