// Functions for a client that waits for a descriptor without an event loop.

#ifndef CLINUX_VARLINK_H
#define CLINUX_VARLINK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Waits until a descriptor can be read (or written); a negative time limit means none. Returns 1 if it can, 0 at
/// timeout.
int clinux_wait_ready(int fd, int writing, int64_t milliseconds);

/// Writes to a pipe without raising SIGPIPE if its reader is gone.
ssize_t clinux_write_quietly(int fd, const void *from, size_t count);

/// Opens a non-blocking Unix stream socket.
int clinux_stream_socket(void);

/// Sleeps for a number of milliseconds.
void clinux_pause(int milliseconds);

#endif
