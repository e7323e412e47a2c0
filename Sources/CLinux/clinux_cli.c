#define _GNU_SOURCE
#include "clinux_cli.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <string.h>
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

// What the handler reads; changed only while the signals are blocked.
static int removed_directory = -1;
static char removed_name[256];

static void remove_and_end(int number) {
    if (removed_directory >= 0) unlinkat(removed_directory, removed_name, 0);
    // The handler is taken away already: this time the signal ends the process.
    raise(number);
}

void clinux_cli_remove_when_ended(int directory, const char *name) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    size_t length = name ? strlen(name) : 0;
    if (length >= sizeof removed_name) return;
    sigset_t blocked, before;
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaddset(&blocked, numbers[i]);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    removed_directory = name ? directory : -1;
    if (name) memcpy(removed_name, name, length + 1);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction present;
        if (sigaction(numbers[i], NULL, &present) || present.sa_handler == SIG_IGN) continue;
        struct sigaction action;
        memset(&action, 0, sizeof action);
        sigemptyset(&action.sa_mask);
        action.sa_flags = SA_RESETHAND;
        action.sa_handler = name ? remove_and_end : SIG_DFL;
        sigaction(numbers[i], &action, NULL);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}
