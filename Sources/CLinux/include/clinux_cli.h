// Starts the programs that the command line speaks through, such as ssh.

#ifndef CLINUX_CLI_H
#define CLINUX_CLI_H

#include <sys/types.h>

/// Starts a program, looked up on PATH, with three descriptors as its standard ones, the caller's environment, and
/// SIGPIPE as it is by default. posix_spawnp(3)
///
/// Returns the process, or the negated errno.
int clinux_spawn_piped(char *const arguments[], int input, int output, int complaints);

#endif
