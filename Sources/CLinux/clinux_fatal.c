#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "clinux_fatal.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

// Large enough for the handler with any size of processor registers (SVE, AVX-512).
static char clinux_fatal_stack[64 * 1024];
static char clinux_fatal_prefix[128];
static int clinux_fatal_descriptor = -1;
static _Bool clinux_fatal_ends_line;

static const struct {
    int number;
    const char *name;
} clinux_fatal_signals[] = {
    {SIGILL, "SIGILL"}, {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},
    {SIGFPE, "SIGFPE"}, {SIGSEGV, "SIGSEGV"}, {SIGSYS, "SIGSYS"},
};

static char *clinux_fatal_add(char *end, const char *limit, const char *text) {
    while (*text != 0 && end < limit) *end++ = *text++;
    return end;
}

static uintptr_t clinux_fatal_instruction(const ucontext_t *context) {
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

static void clinux_fatal_handle(int number, siginfo_t *info, void *context) {
    (void)info;
    char line[256];
    const char *limit = line + sizeof line - 1;
    char *end = clinux_fatal_add(line, limit, clinux_fatal_prefix);
    end = clinux_fatal_add(end, limit, "killed by ");
    const char *name = "a signal";
    for (size_t i = 0; i < sizeof clinux_fatal_signals / sizeof *clinux_fatal_signals; i++) {
        if (clinux_fatal_signals[i].number == number) name = clinux_fatal_signals[i].name;
    }
    end = clinux_fatal_add(end, limit, name);
    end = clinux_fatal_add(end, limit, " at 0x");
    uintptr_t address = clinux_fatal_instruction(context);
    for (int shift = (int)sizeof address * 8 - 4; shift >= 0; shift -= 4) {
        char digit[2] = {"0123456789abcdef"[(address >> shift) & 15], 0};
        end = clinux_fatal_add(end, limit, digit);
    }
    end = clinux_fatal_add(end, limit, "; please report this line with the output of `cleatd --version`");
    if (clinux_fatal_ends_line) *end++ = '\n';
    // A reader that does not keep up loses the line: a dying process does not wait.
    ssize_t written = send(
        clinux_fatal_descriptor, line, (size_t)(end - line), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (written < 0 && errno == ENOTSOCK) written = write(clinux_fatal_descriptor, line, (size_t)(end - line));
    (void)written;
    // The handler was reset when it was called (SA_RESETHAND): now the signal ends the process and becomes its status.
    raise(number);
}

int clinux_fatal_report(int descriptor, const char *prefix, _Bool ends_line) {
    clinux_fatal_descriptor = descriptor;
    clinux_fatal_ends_line = ends_line;
    strncpy(clinux_fatal_prefix, prefix, sizeof clinux_fatal_prefix - 1);
    stack_t stack = {.ss_sp = clinux_fatal_stack, .ss_size = sizeof clinux_fatal_stack};
    if (sigaltstack(&stack, NULL) < 0) return -errno;
    struct sigaction action = {.sa_flags = (int)(SA_SIGINFO | SA_RESETHAND | SA_NODEFER | SA_ONSTACK)};
    action.sa_sigaction = clinux_fatal_handle;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof clinux_fatal_signals / sizeof *clinux_fatal_signals; i++) {
        if (sigaction(clinux_fatal_signals[i].number, &action, NULL) < 0) return -errno;
    }
    return 0;
}
