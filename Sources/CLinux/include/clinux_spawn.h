// The part of the spawner that runs between fork and exec, and the ends of children.

#ifndef CLINUX_SPAWN_H
#define CLINUX_SPAWN_H

#include <stddef.h>
#include <stdint.h>

/// The stage at which starting a child failed.
enum clinux_spawn_stage {
    CLINUX_SPAWN_FORK = 1,
    CLINUX_SPAWN_SESSION,
    CLINUX_SPAWN_DESCRIPTORS,
    CLINUX_SPAWN_DIRECTORY,
    CLINUX_SPAWN_LIMITS,
    CLINUX_SPAWN_USER,
    CLINUX_SPAWN_PRIVILEGES,
    CLINUX_SPAWN_SANDBOX,
    CLINUX_SPAWN_EXEC,
};

struct clinux_spawn_limit {
    int32_t resource;
    uint64_t soft;
    uint64_t hard;
};

/// The process group that a child belongs to.
enum clinux_spawn_group {
    CLINUX_SPAWN_SAME_GROUP,
    CLINUX_SPAWN_NEW_GROUP,
    CLINUX_SPAWN_NEW_SESSION,
};

struct clinux_spawn {
    const char *path;             // used where program < 0
    int searches;                 // a path without a slash is searched for in PATH
    int program;                  // a descriptor to execute, or -1
    char *const *arguments;
    char *const *environment;
    const char *directory;        // or NULL
    int input, output, error;     // none of them 0, 1 or 2; -1 keeps the parent's
    int keeps_open;               // the child inherits open descriptors and the umask
    int group;                    // of enum clinux_spawn_group
    uint64_t default_signals;     // bit n - 1: signal n is not ignored, even if the parent ignores it
    uint64_t unblocked_signals;   // bit n - 1: signal n is not blocked, even if the parent blocks it
    int death_signal;             // sent to a child that the main thread starts when the process ends; 0 for none
    int set_user;
    uint32_t uid, gid;
    const uint32_t *groups;
    size_t group_count;
    int no_new_privileges;
    int ruleset;                  // of Landlock, or -1
    const struct clinux_spawn_limit *limits;
    size_t limit_count;
    int32_t mortal_parent;        // filled in: the parent, where the child gets death_signal when it ends, or 0
    // Results.
    int32_t pid;
    int pidfd;
    int report;                   // where a child that changes its user reports a failure, or -1
    volatile int stage;           // 0 where the program runs
    volatile int failure;         // errno of the failed stage
};

/// Starts a program. Returns 0 with `pid` and `pidfd` set, or -1 with `stage` and `failure`.
///
/// The child shares the memory until it executes (CLONE_VM | CLONE_VFORK, like posix_spawn): nothing is copied, no page
/// faults follow, and a failure is returned in `spawn` itself. Only the calling thread waits, for the exec.
///
/// A program that the main thread starts gets `death_signal` when the process ends for any reason (PR_SET_PDEATHSIG):
/// without supervision it could run beyond its time limit, and revert changes of the restarted service. The kernel sends
/// that signal when the starting thread ends, and only the main thread is sure to last as long as the process; programs
/// of other threads survive. So do the processes that the program itself has started.
///
/// A child that changes its user gets a copy of the memory instead, and the thread does not wait for it: that user
/// could stop it with SIGSTOP, and the waiting thread with it. It writes its stage and errno to `report` before it
/// exits with 127.
int clinux_start(struct clinux_spawn *spawn);

int clinux_kill_group(int32_t group, int number);

/// Opens a process, so that a signal reaches it and not a later process with the same PID. pidfd_open(2)
int clinux_open_process(int32_t pid);

/// Kills an open process and waits at most `milliseconds` for its end: returns 1 if it has ended. pidfd_send_signal(2)
int clinux_kill_process(int pidfd, int milliseconds);

/// Reaps a child, or leaves it as it is with `keep`. Returns 1 with `code` and `signalled` set, 0 if it still runs and
/// `wait` is 0. waitid(2)
int clinux_reap(int pidfd, int wait, int keep, int *code, int *signalled);

/// Reaps a child by its PID. Returns 1 with the `status` of waitpid(2), 0 if it still runs and `wait` is 0.
int clinux_reap_process(int32_t pid, int wait, int *status);

/// Returns the PID of a child that has ended and was not reaped, 0 if there is none.
int32_t clinux_ended_child(void);

/// Makes the orphaned descendants of this process its own children, or no longer. PR_SET_CHILD_SUBREAPER, prctl(2)
int clinux_adopt_orphans(int on);

/// Returns the environment of this process. environ(7)
char **clinux_environment(void);

int clinux_limit_cpu(void);
int clinux_limit_core(void);
int clinux_limit_fsize(void);
int clinux_limit_nofile(void);
int clinux_limit_as(void);
int clinux_limit_nproc(void);

#endif
