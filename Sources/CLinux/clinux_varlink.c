#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "clinux_varlink.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int clinux_wait_ready(int fd, int writing, int64_t milliseconds) {
    struct pollfd entry = {.fd = fd, .events = writing ? POLLOUT : POLLIN};
    int limit = milliseconds < 0 ? -1 : milliseconds > INT_MAX ? INT_MAX : (int)milliseconds;
    int got = poll(&entry, 1, limit);
    if (got < 0) return -errno;
    if (got > 0 && (entry.revents & POLLNVAL)) return -EBADF;
    return got;
}

ssize_t clinux_write_quietly(int fd, const void *from, size_t count) {
    sigset_t pipe_signal, before, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigemptyset(&pending);
    sigpending(&pending);
    int was_pending = sigismember(&pending, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    ssize_t put = write(fd, from, count);
    int error = errno;
    // The signal went to this thread and is consumed before it can be delivered.
    if (put < 0 && error == EPIPE && !was_pending) {
        const struct timespec none = {0, 0};
        while (sigtimedwait(&pipe_signal, NULL, &none) < 0 && errno == EINTR) {}
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return put < 0 ? -error : put;
}

int clinux_stream_socket(void) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return fd < 0 ? -errno : fd;
}

void clinux_pause(int milliseconds) { poll(NULL, 0, milliseconds); }
