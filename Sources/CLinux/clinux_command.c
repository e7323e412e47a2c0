#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "clinux_command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clinux_cli.h"
#include "clinux_root.h"

static void fill(sigset_t *set) {
    static const int kept[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) sigaddset(set, kept[i]);
}

// The process that the caller waits for; other orphaned descendants are reaped here.
static pid_t started;

int clinux_command_start(char *const arguments[]) {
    if (!arguments[0]) return -EINVAL;
    // With SIGCHLD ignored, the ends of children would not be reported.
    signal(SIGCHLD, SIG_DFL);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0) return -errno;
    sigset_t mask, kept, defaults;
    sigemptyset(&mask);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    sigemptyset(&kept);
    fill(&kept);
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&kept, number) == 1) sigdelset(&mask, number);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_t attributes;
    int error = posix_spawnattr_init(&attributes);
    if (error) return -error;
    pid_t process = 0;
    if (!(error = posix_spawnattr_setsigdefault(&attributes, &defaults)) &&
        !(error = posix_spawnattr_setsigmask(&attributes, &mask)) &&
        !(error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)))
        error = posix_spawnp(&process, arguments[0], NULL, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    started = process;
    return error ? -error : process;
}

struct member {
    pid_t process, parent, session;
    int is_ours;
};

/// Reads a process from /proc/PID/stat; returns 0 if it has ended.
static int read_member(const char *name, struct member *into) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t count = read(fd, text, sizeof text - 1);
    close(fd);
    if (count <= 0) return 0;
    text[count] = 0;
    // The program's name is in parentheses, and may contain any characters.
    const char *rest = strrchr(text, ')');
    char state;
    int parent, group, session;
    if (!rest || sscanf(rest + 1, " %c %d %d %d", &state, &parent, &group, &session) != 4) return 0;
    pid_t process = (pid_t)strtol(name, NULL, 10);
    if (state == 'Z' || state == 'X') {
        if (parent == getpid() && process != started && !clinux_cli_is_piped(process)) waitpid(process, NULL, WNOHANG);
        return 0;
    }
    *into = (struct member){process, parent, session, 0};
    return 1;
}

int clinux_command_signal(int number) {
    DIR *directory = opendir("/proc");
    if (!directory) return -errno;
    struct member *members = NULL;
    size_t count = 0, room = 0;
    const struct dirent *entry;
    while ((entry = readdir(directory))) {
        struct member one;
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9' || !read_member(entry->d_name, &one)) continue;
        if (count == room) {
            size_t more = room ? room * 2 : 64;
            struct member *larger = realloc(members, more * sizeof *members);
            if (!larger) break;
            members = larger;
            room = more;
        }
        members[count++] = one;
    }
    closedir(directory);
    pid_t own = getpid(), session = getsid(0);
    int found = 0;
    for (int again = 1; again;) {
        again = 0;
        for (size_t i = 0; i < count; i++) {
            // The program may have made a session of its own; it is not a service, since the caller waits for it.
            if (members[i].is_ours || (members[i].session != session && members[i].session != started)) continue;
            int is_ours = members[i].parent == own;
            for (size_t j = 0; j < count && !is_ours; j++)
                is_ours = members[j].is_ours && members[j].process == members[i].parent;
            if (!is_ours) continue;
            members[i].is_ours = 1;
            found++;
            again = 1;
        }
    }
    for (size_t i = 0; i < count && number; i++) {
        if (!members[i].is_ours) continue;
        kill(members[i].process, number);
        if (number != SIGKILL) kill(members[i].process, SIGCONT);
    }
    free(members);
    return found;
}

void clinux_command_reap(void) {
    while (1) {
        siginfo_t info;
        memset(&info, 0, sizeof info);
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid <= 0) return;
        // The caller waits for these by PID; the others are reaped at the next call.
        if (info.si_pid == started || clinux_cli_is_piped(info.si_pid)) return;
        if (waitpid(info.si_pid, NULL, WNOHANG) <= 0) return;
    }
}

int clinux_command_heeds(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN;
}

void clinux_command_finish(int signals) {
    int typed;
    while (clinux_root_next_signal(signals, &typed) > 0) {}
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    sigset_t kept;
    sigemptyset(&kept);
    fill(&kept);
    sigprocmask(SIG_UNBLOCK, &kept, NULL);
    close(signals);
}
