// Cleans up files and the terminal when a signal ends a command.

#ifndef CLINUX_CLI_H
#define CLINUX_CLI_H

/// Removes a file of an open directory when SIGINT, SIGTERM or SIGHUP ends the process; a null name cancels that.
///
/// Only one file at a time is registered. A name of more than 255 bytes and ignored signals are skipped.
void clinux_cli_remove_when_ended(int directory, const char *name);

/// Turns off the terminal's echo on standard input until clinux_cli_show_input is called or a signal ends the process.
/// tcsetattr(3)
void clinux_cli_hide_input(void);
void clinux_cli_show_input(void);

/// Removes a file of an open directory, and the directory at a path, when SIGINT, SIGQUIT, SIGTERM or SIGHUP ends the
/// process; a null name cancels that.
///
/// If the file contains the user's work, it is kept, and the message is written to standard error. Names and messages
/// that are too long, and ignored signals, are skipped.
void clinux_cli_clear_when_ended(int directory, const char *name, const char *path, const char *message);

/// Sets if that file contains the user's work: 1 for yes, 0 if it does once it differs from its present state (unless
/// it already does), -1 for no, whatever happens to it.
void clinux_cli_mark_work(int holds);

#endif
