// Starts the programs that the command line speaks through, such as ssh.

#ifndef CLINUX_CLI_H
#define CLINUX_CLI_H

#include <sys/types.h>

/// Starts a program, looked up on PATH, with three descriptors as its standard ones, the caller's environment, and
/// SIGPIPE as it is by default. posix_spawnp(3)
///
/// Returns the process, or the negated errno.
int clinux_spawn_piped(char *const arguments[], int input, int output, int complaints);

/// Has a file of an open directory removed where SIGINT, SIGTERM or SIGHUP ends the process; a null name ends that.
///
/// One file at a time; a name of more than 255 bytes, and a signal that is ignored, are left alone.
void clinux_cli_remove_when_ended(int directory, const char *name);

#endif
