#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "clinux_root.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int kept[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD};

static void fill(sigset_t *set) {
    sigemptyset(set);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) sigaddset(set, kept[i]);
}

int clinux_root_listen(const char *path) {
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address.sun_path) return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    return fd;
}

long clinux_root_receive(int fd, void *buffer, unsigned long size) {
    ssize_t count;
    do count = recv(fd, buffer, size, 0);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -(long)errno : (long)count;
}

int clinux_root_hear_signals(void) {
    sigset_t set;
    fill(&set);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0) return -errno;
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

int clinux_root_next_signal(int fd, int *typed) {
    struct signalfd_siginfo info;
    ssize_t count;
    do count = read(fd, &info, sizeof info);
    while (count < 0 && errno == EINTR);
    if (count < 0) return -errno;
    if (count != sizeof info) return -EIO;
    *typed = info.ssi_code == SI_KERNEL;
    return (int)info.ssi_signo;
}

static void wake(int number) { (void)number; }

static long milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000L + now.tv_nsec / 1000000;
}

int clinux_root_lock(const char *directory, int seconds) {
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return -errno;
    int result = flock(fd, LOCK_EX | LOCK_NB);
    if (result < 0 && errno == EWOULDBLOCK) {
        struct sigaction action, before;
        memset(&action, 0, sizeof action);
        sigemptyset(&action.sa_mask);
        action.sa_handler = wake;
        sigaction(SIGALRM, &action, &before);
        // The timer repeats: its first signal may come before the wait has started.
        struct itimerval timer = {{0, 50000}, {seconds, 0}}, none = {{0, 0}, {0, 0}};
        long limit = milliseconds() + seconds * 1000L;
        setitimer(ITIMER_REAL, &timer, NULL);
        do result = flock(fd, LOCK_EX);
        while (result < 0 && errno == EINTR && milliseconds() < limit);
        int error = errno == EINTR ? EWOULDBLOCK : errno;
        setitimer(ITIMER_REAL, &none, NULL);
        sigaction(SIGALRM, &before, NULL);
        errno = error;
    }
    if (result == 0) return fd;
    int error = errno;
    close(fd);
    return -error;
}

char **clinux_root_environment(void) { return environ; }

int clinux_root_start(const char *program, char *const arguments[], char *const environment[], int service_log) {
    int report[2];
    if (pipe2(report, O_CLOEXEC) < 0) return -errno;
    pid_t parent = getpid();
    pid_t process = fork();
    if (process < 0) {
        int error = errno;
        close(report[0]);
        close(report[1]);
        return -error;
    }
    if (process == 0) {
        // Only calls that are safe between fork and exec.
        for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) signal(kept[i], SIG_DFL);
        signal(SIGPIPE, SIG_DFL);
        sigset_t set;
        fill(&set);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        int error = 0;
        if (service_log >= 0) {
            int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
            if (setpgid(0, 0) < 0 || prctl(PR_SET_PDEATHSIG, SIGTERM) < 0 || nothing < 0 || dup2(nothing, 0) < 0 ||
                dup2(service_log, 1) < 0 || dup2(service_log, 2) < 0)
                error = errno;
            // The parent may have ended before PR_SET_PDEATHSIG was set.
            if (!error && getppid() != parent) _exit(127);
        }
        if (!error) {
            execvpe(program, arguments, environment);
            error = errno;
        }
        ssize_t ignored = write(report[1], &error, sizeof error);
        (void)ignored;
        _exit(127);
    }
    close(report[1]);
    int error = 0;
    ssize_t count;
    do count = read(report[0], &error, sizeof error);
    while (count < 0 && errno == EINTR);
    close(report[0]);
    if (count == (ssize_t)sizeof error) {
        while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {}
        return -error;
    }
    return process;
}

int clinux_root_ended(int process, int *status) {
    pid_t ended;
    do ended = waitpid(process, status, WNOHANG);
    while (ended < 0 && errno == EINTR);
    return ended < 0 ? -errno : ended == process;
}

void clinux_root_end_by(int number) {
    signal(number, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}
