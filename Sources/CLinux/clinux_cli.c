#define _GNU_SOURCE
#include "clinux_cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

// Read by the signal handler; changed only while the signals are blocked.
static int removed_directory = -1;
static char removed_name[256];

static void remove_and_end(int number) {
    if (removed_directory >= 0) unlinkat(removed_directory, removed_name, 0);
    // The handler is already reset (SA_RESETHAND): this time the signal ends the process.
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

static struct termios shown_input;
static volatile sig_atomic_t input_is_hidden = 0;

static void show_and_end(int number) {
    if (input_is_hidden) tcsetattr(0, TCSANOW, &shown_input);
    // The handler is already reset (SA_RESETHAND): this time the signal ends the process.
    raise(number);
}

static void handle_endings(void (*handler)(int)) {
    static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction present;
        if (sigaction(numbers[i], NULL, &present) || present.sa_handler == SIG_IGN) continue;
        struct sigaction action;
        memset(&action, 0, sizeof action);
        sigemptyset(&action.sa_mask);
        action.sa_flags = SA_RESETHAND;
        action.sa_handler = handler;
        sigaction(numbers[i], &action, NULL);
    }
}

void clinux_cli_hide_input(void) {
    if (input_is_hidden || tcgetattr(0, &shown_input)) return;
    struct termios hidden = shown_input;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    input_is_hidden = 1;
    handle_endings(show_and_end);
    tcsetattr(0, TCSAFLUSH, &hidden);
}

void clinux_cli_show_input(void) {
    if (!input_is_hidden) return;
    tcsetattr(0, TCSANOW, &shown_input);
    input_is_hidden = 0;
    handle_endings(SIG_DFL);
}

// Read by the signal handler; changed only while the signals are blocked.
static int cleared_directory = -1;
static char cleared_name[256], cleared_path[4096], cleared_message[4608];
static int holds_work = -1;
static struct stat clean_file;

static int is_changed(void) {
    struct stat now;
    // A file that is missing was removed by the editor, which may write a new one.
    if (fstatat(cleared_directory, cleared_name, &now, AT_SYMLINK_NOFOLLOW)) return 0;
    return now.st_ino != clean_file.st_ino || now.st_size != clean_file.st_size ||
           now.st_mtim.tv_sec != clean_file.st_mtim.tv_sec || now.st_mtim.tv_nsec != clean_file.st_mtim.tv_nsec;
}

static void clear_and_end(int number) {
    if (holds_work > 0 || (holds_work == 0 && is_changed())) {
        ssize_t ignored = write(2, cleared_message, strlen(cleared_message));
        (void)ignored;
    } else {
        unlinkat(cleared_directory, cleared_name, 0);
        rmdir(cleared_path);
    }
    // The handler is already reset (SA_RESETHAND): this time the signal ends the process.
    raise(number);
}

static void block_endings(sigset_t *before) {
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGQUIT);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGHUP);
    sigprocmask(SIG_BLOCK, &blocked, before);
}

void clinux_cli_clear_when_ended(int directory, const char *name, const char *path, const char *message) {
    if (name && (strlen(name) >= sizeof cleared_name || strlen(path) >= sizeof cleared_path ||
                 strlen(message) >= sizeof cleared_message))
        return;
    sigset_t before;
    block_endings(&before);
    cleared_directory = name ? directory : -1;
    holds_work = -1;
    if (name) {
        strcpy(cleared_name, name);
        strcpy(cleared_path, path);
        strcpy(cleared_message, message);
    }
    handle_endings(name ? clear_and_end : SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void clinux_cli_mark_work(int holds) {
    sigset_t before;
    block_endings(&before);
    if (holds != 0) {
        holds_work = holds;
    } else if (holds_work <= 0 && cleared_directory >= 0) {
        holds_work = fstatat(cleared_directory, cleared_name, &clean_file, AT_SYMLINK_NOFOLLOW) ? -1 : 0;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}
