#define _GNU_SOURCE
#include "clinux_io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int clinux_result(int value) { return value < 0 ? -errno : value; }

// ---- epoll, eventfd, timerfd

int clinux_epoll_create(void) { return clinux_result(epoll_create1(EPOLL_CLOEXEC)); }

int clinux_epoll_add(int epoll, int fd, uint32_t events, uint64_t key) {
    struct epoll_event event = {.events = events, .data = {.u64 = key}};
    return clinux_result(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
}

int clinux_epoll_modify(int epoll, int fd, uint32_t events, uint64_t key) {
    struct epoll_event event = {.events = events, .data = {.u64 = key}};
    return clinux_result(epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event));
}

int clinux_epoll_remove(int epoll, int fd) {
    return clinux_result(epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL));
}

/// Waits for events; `into` has space for clinux_epoll_batch of them.
int clinux_epoll_wait(int epoll, struct clinux_ready *into, int timeout) {
    struct epoll_event events[clinux_epoll_batch];
    int count = epoll_wait(epoll, events, clinux_epoll_batch, timeout);
    if (count < 0) return -errno;
    for (int i = 0; i < count; i++) {
        into[i].key = events[i].data.u64;
        into[i].events = events[i].events;
    }
    return count;
}

int clinux_eventfd(void) { return clinux_result(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

void clinux_eventfd_signal(int fd) {
    uint64_t one = 1;
    ssize_t ignored;
    do { ignored = write(fd, &one, sizeof one); } while (ignored < 0 && errno == EINTR);
}

int clinux_timerfd(void) {
    return clinux_result(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
}

/// Arms the timer for an instant of CLOCK_BOOTTIME, or disarms it with 0.
int clinux_timerfd_arm(int fd, int64_t nanoseconds) {
    struct itimerspec when = {.it_value = {.tv_sec = (time_t)(nanoseconds / 1000000000),
                                           .tv_nsec = (long)(nanoseconds % 1000000000)}};
    return clinux_result(timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL));
}

// ---- clocks

int64_t clinux_clock_boottime(void) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/// Returns milliseconds since 1970.
int64_t clinux_clock_realtime(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// Returns microseconds of CLOCK_MONOTONIC, the clock of the sd_notify protocol.
int64_t clinux_clock_monotonic(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int clinux_clock_synchronised(void) {
    struct timex state;
    memset(&state, 0, sizeof state);
    int result = adjtimex(&state);
    return result >= 0 && result != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

// ---- descriptors

int clinux_set_nonblocking(int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0) return -errno;
    if (flags & O_NONBLOCK) return 0;
    return clinux_result(fcntl(fd, F_SETFL, flags | O_NONBLOCK));
}

/// Returns a duplicate above the three standard descriptors.
int clinux_duplicate(int fd) { return clinux_result(fcntl(fd, F_DUPFD_CLOEXEC, 3)); }

/// Returns 1 for a socket, 0 for anything else.
int clinux_is_socket(int fd) {
    struct stat info;
    if (fstat(fd, &info) < 0) return -errno;
    return S_ISSOCK(info.st_mode) ? 1 : 0;
}

int clinux_open_read(const char *path) {
    int fd;
    do { fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); } while (fd < 0 && errno == EINTR);
    return clinux_result(fd);
}

int clinux_file_stamp(const char *path, struct clinux_stamp *stamp) {
    struct stat status;
    if (stat(path, &status) < 0) return -errno;
    stamp->device = status.st_dev;
    stamp->inode = status.st_ino;
    stamp->size = status.st_size;
    stamp->modified = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
    stamp->changed = (int64_t)status.st_ctim.tv_sec * 1000000000 + status.st_ctim.tv_nsec;
    return 0;
}

int clinux_pipe(int ends[2]) { return clinux_result(pipe2(ends, O_CLOEXEC)); }

ssize_t clinux_read(int fd, void *into, size_t count) {
    ssize_t got;
    do { got = read(fd, into, count); } while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

ssize_t clinux_write(int fd, const void *from, size_t count) {
    ssize_t put;
    do { put = write(fd, from, count); } while (put < 0 && errno == EINTR);
    return put < 0 ? -errno : put;
}

/// Sends on a socket without raising SIGPIPE.
ssize_t clinux_send(int fd, const void *from, size_t count) {
    ssize_t put;
    do { put = send(fd, from, count, MSG_NOSIGNAL | MSG_DONTWAIT); } while (put < 0 && errno == EINTR);
    return put < 0 ? -errno : put;
}

/// Makes an anonymous file that contains `bytes`; its file offset is 0.
int clinux_memory_file(const void *bytes, size_t count) {
    int fd = memfd_create("input", MFD_CLOEXEC);
    if (fd < 0) return -errno;
    size_t done = 0;
    while (done < count) {
        ssize_t put = clinux_write(fd, (const char *)bytes + done, count - done);
        if (put <= 0) {
            close(fd);
            return put < 0 ? (int)put : -EIO;
        }
        done += (size_t)put;
    }
    if (lseek(fd, 0, SEEK_SET) < 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    return fd;
}

// ---- Unix sockets

_Static_assert(clinux_unix_path_limit == sizeof(((struct sockaddr_un *)0)->sun_path) - 1, "sun_path");

/// Fills an address; a leading `@` means the abstract namespace. Returns its length, or -ENAMETOOLONG.
static int clinux_unix_address(struct sockaddr_un *address, const char *path, size_t count) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (count == 0) return -EINVAL;
    if (count > clinux_unix_path_limit) return -ENAMETOOLONG;
    memcpy(address->sun_path, path, count);
    if (path[0] == '@') {
        address->sun_path[0] = 0;
        return (int)(offsetof(struct sockaddr_un, sun_path) + count);
    }
    return (int)(offsetof(struct sockaddr_un, sun_path) + count + 1);
}

int clinux_unix_socket(int type, int nonblocking) {
    return clinux_result(socket(AF_UNIX, type | SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0), 0));
}

int clinux_unix_bind(int fd, const char *path, size_t count) {
    struct sockaddr_un address;
    int length = clinux_unix_address(&address, path, count);
    if (length < 0) return length;
    return clinux_result(bind(fd, (struct sockaddr *)&address, (socklen_t)length));
}

int clinux_unix_connect(int fd, const char *path, size_t count) {
    struct sockaddr_un address;
    int length = clinux_unix_address(&address, path, count);
    if (length < 0) return length;
    int result;
    do { result = connect(fd, (struct sockaddr *)&address, (socklen_t)length); } while (result < 0 && errno == EINTR);
    return clinux_result(result);
}

int clinux_unix_pair(int ends[2]) {
    return clinux_result(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends));
}

int clinux_listen(int fd, int backlog) { return clinux_result(listen(fd, backlog)); }

int clinux_accept(int fd) {
    return clinux_result(accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

int clinux_shutdown_write(int fd) { return clinux_result(shutdown(fd, SHUT_WR)); }

int clinux_peer(int fd, struct clinux_credentials *into) {
    struct ucred who;
    socklen_t length = sizeof who;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &length) < 0) return -errno;
    into->pid = who.pid;
    into->uid = who.uid;
    into->gid = who.gid;
    return 0;
}

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

/// Reads the peer's supplementary groups; returns their number, which may be larger than `room`.
int clinux_peer_groups(int fd, uint32_t *into, int room) {
    socklen_t length = (socklen_t)((size_t)room * sizeof *into);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, into, &length) < 0 && errno != ERANGE) return -errno;
    return (int)(length / sizeof *into);
}

/// Sends one datagram to a Unix address, waiting at most a second for buffer space.
int clinux_unix_datagram(const char *path, size_t path_count, const void *bytes, size_t count) {
    struct sockaddr_un address;
    int length = clinux_unix_address(&address, path, path_count);
    if (length < 0) return length;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    struct timeval limit = {.tv_sec = 1};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    ssize_t sent;
    do {
        sent = sendto(fd, bytes, count, MSG_NOSIGNAL, (struct sockaddr *)&address, (socklen_t)length);
    } while (sent < 0 && errno == EINTR);
    int result = sent < 0 ? -errno : 0;
    close(fd);
    return result;
}

/// Reads the identity of a path without following a link.
int clinux_identify(const char *path, struct clinux_identity *into) {
    struct stat info;
    if (lstat(path, &info) < 0) return -errno;
    into->device = (uint64_t)info.st_dev;
    into->inode = (uint64_t)info.st_ino;
    into->mode = (uint32_t)info.st_mode;
    return 0;
}

int clinux_mode_is_socket(uint32_t mode) { return S_ISSOCK(mode) ? 1 : 0; }
int clinux_unlink(const char *path) { return clinux_result(unlink(path)); }
int clinux_chmod(const char *path, uint32_t mode) { return clinux_result(chmod(path, (mode_t)mode)); }
int clinux_chown_group(const char *path, uint32_t gid) {
    return clinux_result(lchown(path, (uid_t)-1, (gid_t)gid));
}

// ---- signals

int clinux_signals_block(const int *numbers, int count) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++) sigaddset(&set, numbers[i]);
    return -pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int clinux_signalfd(const int *numbers, int count) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++) sigaddset(&set, numbers[i]);
    return clinux_result(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

/// Returns 1 with a signal, 0 if none is pending.
int clinux_signalfd_read(int fd, struct clinux_signal *into) {
    struct signalfd_siginfo info;
    ssize_t got = clinux_read(fd, &info, sizeof info);
    if (got == -EAGAIN) return 0;
    if (got < 0) return (int)got;
    if (got != sizeof info) return -EIO;
    into->number = (int32_t)info.ssi_signo;
    into->pid = info.ssi_pid;
    into->uid = info.ssi_uid;
    into->from_kernel = info.ssi_code == SI_KERNEL;
    return 1;
}

int clinux_signals_unblock(const int *numbers, int count) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++) sigaddset(&set, numbers[i]);
    return -pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int clinux_signal_is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void clinux_signals_prepare(void) {
    struct sigaction action;
    if (sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL) signal(SIGPIPE, SIG_IGN);
    if (sigaction(SIGCHLD, NULL, &action) == 0 && action.sa_handler == SIG_IGN) signal(SIGCHLD, SIG_DFL);
}

void clinux_signal_raise(int number) { pthread_kill(pthread_self(), number); }

// ---- threads

uintptr_t clinux_thread_self(void) { return (uintptr_t)pthread_self(); }

int clinux_thread_start(uintptr_t *into, clinux_thread_body body, void *argument, size_t stack,
                                      const char *name) {
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error) return -error;
    pthread_attr_setstacksize(&attributes, stack);
    sigset_t all, before;
    sigfillset(&all);
    // The new thread inherits a mask that blocks all signals, so that they are delivered to the threads that expect
    // them.
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    error = pthread_create(&thread, &attributes, body, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (error) return -error;
    pthread_setname_np(thread, name);
    *into = (uintptr_t)thread;
    return 0;
}

void clinux_thread_join(uintptr_t thread) { pthread_join((pthread_t)thread, NULL); }
void clinux_thread_detach(uintptr_t thread) { pthread_detach((pthread_t)thread); }

/// A mutex with a condition, for a thread that waits for work.
struct clinux_gate {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
};

struct clinux_gate *clinux_gate_create(void) {
    struct clinux_gate *gate = malloc(sizeof *gate);
    if (gate == NULL) return NULL;
    pthread_mutex_init(&gate->mutex, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&gate->condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return gate;
}

void clinux_gate_destroy(struct clinux_gate *gate) {
    pthread_cond_destroy(&gate->condition);
    pthread_mutex_destroy(&gate->mutex);
    free(gate);
}

void clinux_gate_lock(struct clinux_gate *gate) { pthread_mutex_lock(&gate->mutex); }
void clinux_gate_unlock(struct clinux_gate *gate) { pthread_mutex_unlock(&gate->mutex); }
void clinux_gate_signal(struct clinux_gate *gate) { pthread_cond_signal(&gate->condition); }

/// Waits for a signal, at most for `milliseconds` unless that is negative. Returns 1 when the time is over.
int clinux_gate_wait(struct clinux_gate *gate, int64_t milliseconds) {
    if (milliseconds < 0) {
        pthread_cond_wait(&gate->condition, &gate->mutex);
        return 0;
    }
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)(milliseconds / 1000);
    until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec += 1;
        until.tv_nsec -= 1000000000;
    }
    return pthread_cond_timedwait(&gate->condition, &gate->mutex, &until) == ETIMEDOUT;
}
