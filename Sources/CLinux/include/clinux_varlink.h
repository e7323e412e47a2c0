// What a client needs that waits for a descriptor without an event loop.

#ifndef CLINUX_VARLINK_H
#define CLINUX_VARLINK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Waits until a descriptor can be read (or written); a negative time limit is none. 1 when it can, 0 when time is over.
int clinux_wait_ready(int fd, int writing, int64_t milliseconds);

/// Writes to a pipe whose reader may be gone without raising SIGPIPE.
ssize_t clinux_write_quietly(int fd, const void *from, size_t count);

/// A non-blocking stream socket.
int clinux_stream_socket(void);

/// Sleeps.
void clinux_pause(int milliseconds);

#endif
