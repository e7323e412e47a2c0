// System calls for the event loop, the sockets and the threads.

#ifndef CLINUX_IO_H
#define CLINUX_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { clinux_epoll_batch = 64, clinux_unix_path_limit = 107 };

struct clinux_ready {
    uint64_t key;
    uint32_t events;
};

struct clinux_credentials {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};

struct clinux_identity {
    uint64_t device;
    uint64_t inode;
    uint32_t mode;
};

struct clinux_signal {
    int32_t number;
    uint32_t pid;
    uint32_t uid;
    int32_t from_kernel;  // 1 if no process has sent it: the terminal's signals, for instance
};

typedef void *(*clinux_thread_body)(void *);

/// A mutex with a condition, for a thread that waits for work.
struct clinux_gate;

int clinux_epoll_create(void);
int clinux_epoll_add(int epoll, int fd, uint32_t events, uint64_t key);
int clinux_epoll_modify(int epoll, int fd, uint32_t events, uint64_t key);
int clinux_epoll_remove(int epoll, int fd);
/// Waits for events; `into` has space for clinux_epoll_batch of them.
int clinux_epoll_wait(int epoll, struct clinux_ready *into, int timeout);

int clinux_eventfd(void);
void clinux_eventfd_signal(int fd);
int clinux_timerfd(void);
/// Arms the timer for an instant of CLOCK_BOOTTIME, or disarms it with 0.
int clinux_timerfd_arm(int fd, int64_t nanoseconds);

int64_t clinux_clock_boottime(void);
/// Returns milliseconds since 1970.
int64_t clinux_clock_realtime(void);

/// Returns microseconds of CLOCK_MONOTONIC, the clock of the sd_notify protocol.
int64_t clinux_clock_monotonic(void);

int clinux_clock_synchronised(void);
int clinux_set_nonblocking(int fd);
/// Returns a duplicate above the three standard descriptors.
int clinux_duplicate(int fd);

/// Returns 1 for a socket, 0 for anything else.
int clinux_is_socket(int fd);

int clinux_open_read(const char *path);

/// The properties of a file that change with its content; times in nanoseconds since 1970.
struct clinux_stamp {
    uint64_t device;
    uint64_t inode;
    int64_t size;
    int64_t modified;
    int64_t changed;
};

/// Reads the stamp of a file; returns 0, or -errno. stat(2)
int clinux_file_stamp(const char *path, struct clinux_stamp *stamp);
int clinux_pipe(int ends[2]);
ssize_t clinux_read(int fd, void *into, size_t count);
ssize_t clinux_write(int fd, const void *from, size_t count);
/// Sends on a socket without raising SIGPIPE.
ssize_t clinux_send(int fd, const void *from, size_t count);

/// Makes an anonymous file that contains `bytes`; its file offset is 0.
int clinux_memory_file(const void *bytes, size_t count);

int clinux_unix_socket(int type, int nonblocking);
int clinux_unix_bind(int fd, const char *path, size_t count);
int clinux_unix_connect(int fd, const char *path, size_t count);
int clinux_unix_pair(int ends[2]);
int clinux_listen(int fd, int backlog);
int clinux_accept(int fd);
int clinux_shutdown_write(int fd);
int clinux_peer(int fd, struct clinux_credentials *into);
/// Reads the peer's supplementary groups; returns their number, which may be larger than `room`.
int clinux_peer_groups(int fd, uint32_t *into, int room);

/// Sends one datagram to a Unix address, waiting at most a second for buffer space.
int clinux_unix_datagram(const char *path, size_t path_count, const void *bytes, size_t count);

/// Reads the identity of a path without following a link.
int clinux_identify(const char *path, struct clinux_identity *into);

int clinux_mode_is_socket(uint32_t mode);
int clinux_unlink(const char *path);
int clinux_chmod(const char *path, uint32_t mode);
int clinux_chown_group(const char *path, uint32_t gid);
int clinux_signals_block(const int *numbers, int count);
int clinux_signals_unblock(const int *numbers, int count);
/// Returns 1 if this process ignores a signal.
int clinux_signal_is_ignored(int number);
int clinux_signalfd(const int *numbers, int count);
/// Returns 1 with a signal, 0 if none is pending.
int clinux_signalfd_read(int fd, struct clinux_signal *into);

/// Ignores SIGPIPE if it has its default action, and resets SIGCHLD if it is ignored: a pipe without a reader is an
/// error, and children wait to be reaped.
void clinux_signals_prepare(void);

/// Sends a signal to the calling thread.
void clinux_signal_raise(int number);

uintptr_t clinux_thread_self(void);
int clinux_thread_start(uintptr_t *into, clinux_thread_body body, void *argument, size_t stack, const char *name);
void clinux_thread_join(uintptr_t thread);
void clinux_thread_detach(uintptr_t thread);
struct clinux_gate *clinux_gate_create(void);
void clinux_gate_destroy(struct clinux_gate *gate);
void clinux_gate_lock(struct clinux_gate *gate);
void clinux_gate_unlock(struct clinux_gate *gate);
void clinux_gate_signal(struct clinux_gate *gate);
/// Waits for a signal, at most for `milliseconds` unless that is negative. Returns 1 when the time is over.
int clinux_gate_wait(struct clinux_gate *gate, int64_t milliseconds);

#endif
