#define _GNU_SOURCE
#include "clinux_cli.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

int clinux_spawn_piped(char *const arguments[], int input, int output, int complaints) {
    if (!arguments[0]) return -EINVAL;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return -error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return -error;
    }
    // The command line ignores SIGPIPE; what it starts should not.
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    pid_t process = 0;
    if (!(error = posix_spawn_file_actions_adddup2(&actions, input, 0)) &&
        !(error = posix_spawn_file_actions_adddup2(&actions, output, 1)) &&
        !(error = posix_spawn_file_actions_adddup2(&actions, complaints, 2)) &&
        !(error = posix_spawnattr_setsigdefault(&attributes, &defaults)) &&
        !(error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF)))
        error = posix_spawnp(&process, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error ? -error : process;
}
