#define _GNU_SOURCE
#include "clinux_landlock.h"
#include "clinux_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x00001000
#endif
#ifndef P_PIDFD
#define P_PIDFD 3
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

#define CLINUX_SPAWN_FAIL(at)     \
    do {                          \
        spawn->stage = (at);      \
        spawn->failure = errno;   \
        clinux_spawn_report(spawn); \
        _exit(127);               \
    } while (0)

/// Reports a failure to the parent if the two do not share their memory.
static void clinux_spawn_report(struct clinux_spawn *spawn) {
    if (spawn->report < 0) return;
    int32_t report[2] = {spawn->stage, spawn->failure};
    ssize_t ignored = write(spawn->report, report, sizeof report);
    (void)ignored;
}

/// Executes a program that is found in PATH, as execvp(3) does, but never with a shell. Returns after a failure.
static void clinux_spawn_search(struct clinux_spawn *spawn) {
    char path[PATH_MAX];
    int denied = 0;
    const char *directories = getenv("PATH");
    size_t name = strlen(spawn->path);
    errno = ENOENT;
    if (name == 0) return;
    for (const char *next = directories ? directories : "/bin:/usr/bin"; next != NULL;) {
        size_t length = strcspn(next, ":");
        if (length + name + 2 <= sizeof path) {
            memcpy(path, next, length);
            if (length > 0) path[length++] = '/';
            memcpy(path + length, spawn->path, name + 1);
            execve(path, spawn->arguments, spawn->environment);
            if (errno == EACCES) denied = 1;
            else if (errno != ENOENT && errno != ENOTDIR && errno != ESTALE && errno != ENODEV && errno != ETIMEDOUT)
                return;
        }
        next = strchr(next, ':');
        if (next != NULL) next++;
    }
    if (denied) errno = EACCES;
}

/// The argument of the child: the command, and the signal mask that it starts the program with.
struct clinux_spawn_argument {
    struct clinux_spawn *spawn;
    sigset_t mask;
};

/// Runs in the child, which may borrow the parent's memory while the parent's thread is suspended.
///
/// So it makes only system calls: no allocation, no lock, and not libc's set*id functions, which would signal the
/// parent's threads.
static int clinux_spawn_child(void *argument) {
    struct clinux_spawn *spawn = ((struct clinux_spawn_argument *)argument)->spawn;

    // In a new session, a time limit kills its process group, and no terminal can signal it.
    if (spawn->group == CLINUX_SPAWN_NEW_SESSION && setsid() < 0) CLINUX_SPAWN_FAIL(CLINUX_SPAWN_SESSION);
    if (spawn->group == CLINUX_SPAWN_NEW_GROUP && setpgid(0, 0) < 0) CLINUX_SPAWN_FAIL(CLINUX_SPAWN_SESSION);

    // Every signal is blocked here, so no handler of the parent can run before it is reset. The system call is used
    // because libc omits its own two signals, and an ignored signal would be inherited. All zero is SIG_DFL.
    unsigned long standard[16] = {0};
    for (int number = 1; number < NSIG; number++) {
        struct sigaction present;
        if (number <= 64 && !(spawn->default_signals >> (number - 1) & 1) && sigaction(number, NULL, &present) == 0 &&
            present.sa_handler == SIG_IGN)
            continue;
        syscall(SYS_rt_sigaction, number, standard, NULL, (size_t)(_NSIG / 8));
    }

    if ((spawn->input >= 0 && dup2(spawn->input, 0) < 0) || (spawn->output >= 0 && dup2(spawn->output, 1) < 0) ||
        (spawn->error >= 0 && dup2(spawn->error, 2) < 0))
        CLINUX_SPAWN_FAIL(CLINUX_SPAWN_DESCRIPTORS);
    // Set to close on exec, not closed: a program that is executed by its descriptor is still needed.
    if (!spawn->keeps_open && syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) < 0) {
        for (int fd = 3; fd < 1024; fd++) fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    if (!spawn->keeps_open) umask(022);

    for (size_t i = 0; i < spawn->limit_count; i++) {
        struct rlimit limit = {.rlim_cur = (rlim_t)spawn->limits[i].soft, .rlim_max = (rlim_t)spawn->limits[i].hard};
        if (setrlimit(spawn->limits[i].resource, &limit) < 0) CLINUX_SPAWN_FAIL(CLINUX_SPAWN_LIMITS);
    }

    if (spawn->set_user) {
#if defined(SYS_setgroups32)
        if (syscall(SYS_setgroups32, spawn->group_count, spawn->groups) < 0) CLINUX_SPAWN_FAIL(CLINUX_SPAWN_USER);
        if (syscall(SYS_setresgid32, spawn->gid, spawn->gid, spawn->gid) < 0) CLINUX_SPAWN_FAIL(CLINUX_SPAWN_USER);
        if (syscall(SYS_setresuid32, spawn->uid, spawn->uid, spawn->uid) < 0) CLINUX_SPAWN_FAIL(CLINUX_SPAWN_USER);
#else
        if (syscall(SYS_setgroups, spawn->group_count, spawn->groups) < 0) CLINUX_SPAWN_FAIL(CLINUX_SPAWN_USER);
        if (syscall(SYS_setresgid, spawn->gid, spawn->gid, spawn->gid) < 0) CLINUX_SPAWN_FAIL(CLINUX_SPAWN_USER);
        if (syscall(SYS_setresuid, spawn->uid, spawn->uid, spawn->uid) < 0) CLINUX_SPAWN_FAIL(CLINUX_SPAWN_USER);
#endif
    }

    // As the new user, who must be allowed to enter it.
    if (spawn->directory != NULL && chdir(spawn->directory) < 0) CLINUX_SPAWN_FAIL(CLINUX_SPAWN_DIRECTORY);

    if (spawn->no_new_privileges && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        CLINUX_SPAWN_FAIL(CLINUX_SPAWN_PRIVILEGES);

    // After everything but the exec; the kernel requires no_new_privs first.
    if (spawn->ruleset >= 0 && clinux_landlock_restrict(spawn->ruleset) < 0) CLINUX_SPAWN_FAIL(CLINUX_SPAWN_SANDBOX);

    // After the change of the user, which clears it. The parent may have ended before.
    if (spawn->mortal_parent != 0) {
        if (prctl(PR_SET_PDEATHSIG, spawn->death_signal) < 0) CLINUX_SPAWN_FAIL(CLINUX_SPAWN_SESSION);
        if (getppid() != spawn->mortal_parent) _exit(127);
    }

    sigprocmask(SIG_SETMASK, &((struct clinux_spawn_argument *)argument)->mask, NULL);

    if (spawn->program >= 0) {
        syscall(SYS_execveat, spawn->program, "", spawn->arguments, spawn->environment, AT_EMPTY_PATH);
    } else if (spawn->searches && strchr(spawn->path, '/') == NULL) {
        clinux_spawn_search(spawn);
    } else {
        execve(spawn->path, spawn->arguments, spawn->environment);
    }
    CLINUX_SPAWN_FAIL(CLINUX_SPAWN_EXEC);
    return 127;
}

// The thread sanitizer does not support a child that shares the memory.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CLINUX_SPAWN_NEVER_SHARES 1
#endif
#endif
#ifndef CLINUX_SPAWN_NEVER_SHARES
#define CLINUX_SPAWN_NEVER_SHARES 0
#endif

/// Waits until a child that does not share the memory has executed its program, and returns its failure.
static void clinux_spawn_await(struct clinux_spawn *spawn) {
    struct pollfd report = {.fd = spawn->report, .events = POLLIN};
    int32_t words[2];
    while (poll(&report, 1, -1) < 0 && errno == EINTR) {}
    if (read(spawn->report, words, sizeof words) == (ssize_t)sizeof words) {
        spawn->stage = words[0];
        spawn->failure = words[1];
    }
    close(spawn->report);
    spawn->report = -1;
}

int clinux_start(struct clinux_spawn *spawn) {
    char stack[32 * 1024] __attribute__((aligned(16)));
    sigset_t all, before;
    struct clinux_spawn_argument argument = {.spawn = spawn};
    int pidfd = -1;
    int report[2] = {-1, -1};

    spawn->stage = 0;
    spawn->failure = 0;
    spawn->pidfd = -1;
    spawn->pid = -1;
    spawn->report = -1;
    spawn->mortal_parent = spawn->death_signal != 0 && syscall(SYS_gettid) == getpid() ? getpid() : 0;

    int flags = CLONE_PIDFD | SIGCHLD;
    if (spawn->set_user || CLINUX_SPAWN_NEVER_SHARES) {
        if (pipe2(report, O_CLOEXEC | O_NONBLOCK) < 0) goto fork_failed;
        spawn->report = fcntl(report[1], F_DUPFD_CLOEXEC, 3);
        int error = errno;
        close(report[1]);
        if (spawn->report < 0) {
            close(report[0]);
            errno = error;
            goto fork_failed;
        }
    } else {
        flags |= CLONE_VM | CLONE_VFORK;
    }

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    argument.mask = before;
    for (int number = 1; number < NSIG; number++)
        if (number > 64 || spawn->unblocked_signals >> (number - 1) & 1) sigdelset(&argument.mask, number);
    int pid = clone(clinux_spawn_child, stack + sizeof stack, flags, &argument, &pidfd);
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (spawn->report >= 0) close(spawn->report);
    spawn->report = report[0];

    if (pid < 0) {
        if (report[0] >= 0) close(report[0]);
        errno = error;
        goto fork_failed;
    }
    if (spawn->report >= 0 && !spawn->set_user) clinux_spawn_await(spawn);
    if (spawn->stage != 0) {
        int status;
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
        if (pidfd >= 0) close(pidfd);
        return -1;
    }
    spawn->pid = pid;
    spawn->pidfd = pidfd;
    return 0;

fork_failed:
    spawn->failure = errno;
    spawn->stage = CLINUX_SPAWN_FORK;
    spawn->report = -1;
    return -1;
}

int clinux_kill_group(int32_t group, int number) {
    if (group <= 1) return -ESRCH;
    return kill(-group, number) < 0 ? -errno : 0;
}

int clinux_open_process(int32_t pid) {
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    return pidfd < 0 ? -errno : pidfd;
}

int clinux_kill_process(int pidfd, int milliseconds) {
    if (syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0) < 0 && errno != ESRCH) return -errno;
    struct pollfd end = {.fd = pidfd, .events = POLLIN};
    int ended = poll(&end, 1, milliseconds);
    return ended < 0 && errno != EINTR ? -errno : ended > 0;
}

int clinux_reap(int pidfd, int wait, int keep, int *code, int *signalled) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    int result;
    do { result = waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, WEXITED | (wait ? 0 : WNOHANG) | (keep ? WNOWAIT : 0)); } while (result < 0 && errno == EINTR);
    if (result < 0) return -errno;
    if (info.si_pid == 0) return 0;
    *code = info.si_status;
    *signalled = info.si_code != CLD_EXITED;
    return 1;
}

int clinux_reap_process(int32_t pid, int wait, int *status) {
    pid_t ended;
    do { ended = waitpid(pid, status, wait ? 0 : WNOHANG); } while (ended < 0 && errno == EINTR);
    return ended < 0 ? -errno : ended == pid;
}

int32_t clinux_ended_child(void) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ? 0 : info.si_pid;
}

int clinux_adopt_orphans(int on) { return prctl(PR_SET_CHILD_SUBREAPER, on, 0, 0, 0) < 0 ? -errno : 0; }

char **clinux_environment(void) { return environ; }

int clinux_limit_cpu(void) { return RLIMIT_CPU; }
int clinux_limit_core(void) { return RLIMIT_CORE; }
int clinux_limit_fsize(void) { return RLIMIT_FSIZE; }
int clinux_limit_nofile(void) { return RLIMIT_NOFILE; }
int clinux_limit_as(void) { return RLIMIT_AS; }
int clinux_limit_nproc(void) { return RLIMIT_NPROC; }
