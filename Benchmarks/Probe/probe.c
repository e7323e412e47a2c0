// Takes samples for Benchmarks/run, one number of nanoseconds a line. In C, and small, so that its own part in what it
// measures is small.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

_Noreturn static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("bench-probe: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(1);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static long number(const char *text) {
    char *end;
    long value = strtol(text, &end, 10);
    if (*end || value < 0) fail("%s is not a number", text);
    return value;
}

static struct sockaddr_un address(const char *path) {
    struct sockaddr_un result = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof result.sun_path) fail("%s is too long for a socket", path);
    strcpy(result.sun_path, path);
    return result;
}

// The argument with every `{n}` replaced by the run's number, so that every set sets something new.
static char *filled(const char *argument, long n) {
    const char *mark = strstr(argument, "{n}");
    if (!mark) return strdup(argument);
    char *rest = filled(mark + 3, n), *result;
    if (asprintf(&result, "%.*s%ld%s", (int)(mark - argument), argument, n, rest) < 0) fail("out of memory");
    free(rest);
    return result;
}

static pid_t start(char **arguments, posix_spawn_file_actions_t *actions) {
    pid_t pid;
    int error = posix_spawnp(&pid, arguments[0], actions, NULL, arguments, environ);
    if (error) fail("%s: %s", arguments[0], strerror(error));
    return pid;
}

// `time COUNT FIRST PROGRAM ARGUMENT…`: from before the start of the process to its end.
static void time_processes(long count, long first, char **command) {
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
    int words = 0;
    while (command[words]) words++;
    char **arguments = calloc((size_t)words + 1, sizeof *arguments);
    if (!arguments) fail("out of memory");
    for (long run = 0; run < count; run++) {
        for (int i = 0; i < words; i++) arguments[i] = filled(command[i], first + run);
        int64_t before = now();
        pid_t pid = start(arguments, &quiet);
        int status;
        if (waitpid(pid, &status, 0) < 0) fail("waitpid: %s", strerror(errno));
        int64_t after = now();
        if (status) {
            fputs("bench-probe: failed:", stderr);
            for (int i = 0; i < words; i++) fprintf(stderr, " %.200s", arguments[i]);
            fail(" (status %#x)", status);
        }
        printf("%lld\n", (long long)(after - before));
        for (int i = 0; i < words; i++) free(arguments[i]);
    }
    free(arguments);
}

// `call SOCKET COUNT MESSAGE`: from before the request's write to the NUL that ends the reply, on one connection.
static void time_calls(const char *path, long count, const char *message) {
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un peer = address(path);
    if (connect(connection, (struct sockaddr *)&peer, sizeof peer) < 0) fail("%s: %s", path, strerror(errno));
    size_t length = strlen(message) + 1;
    static char reply[1 << 20];
    long warm_up = 50;
    for (long run = -warm_up; run < count; run++) {
        int64_t before = now();
        if (write(connection, message, length) != (ssize_t)length) fail("%s: a short write", path);
        size_t filled = 0;
        do {
            ssize_t got = read(connection, reply + filled, sizeof reply - filled);
            if (got <= 0) fail("%s: the connection ended", path);
            filled += (size_t)got;
        } while (reply[filled - 1]);
        int64_t after = now();
        if (strstr(reply, "\"error\"")) fail("%s replied %.300s", path, reply);
        if (run >= 0) printf("%lld\n", (long long)(after - before));
    }
}

// `echo SOCKET`: sends back what it reads. The floor of any service that waits for its clients by epoll.
static void echo(const char *path) {
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), poller = epoll_create1(EPOLL_CLOEXEC);
    struct sockaddr_un own = address(path);
    if (bind(listener, (struct sockaddr *)&own, sizeof own) < 0 || listen(listener, 8) < 0)
        fail("%s: %s", path, strerror(errno));
    epoll_ctl(poller, EPOLL_CTL_ADD, listener, &(struct epoll_event){.events = EPOLLIN, .data.fd = listener});
    for (;;) {
        struct epoll_event event;
        if (epoll_wait(poller, &event, 1, -1) != 1) continue;
        if (event.data.fd == listener) {
            int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
            epoll_ctl(poller, EPOLL_CTL_ADD, client, &(struct epoll_event){.events = EPOLLIN, .data.fd = client});
            continue;
        }
        char bytes[4096];
        ssize_t got = read(event.data.fd, bytes, sizeof bytes);
        if (got <= 0 || write(event.data.fd, bytes, (size_t)got) != got) close(event.data.fd);
    }
}

// `ready SOCKET COUNT PROGRAM ARGUMENT…`: from before the start of the service to its READY=1 on $NOTIFY_SOCKET.
static void time_readiness(const char *path, long count, char **command) {
    int notifications = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un own = address(path);
    unlink(path);
    if (bind(notifications, (struct sockaddr *)&own, sizeof own) < 0) fail("%s: %s", path, strerror(errno));
    setenv("NOTIFY_SOCKET", path, 1);
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
    for (long run = 0; run < count; run++) {
        int64_t before = now();
        pid_t pid = start(command, &quiet);
        char text[4096];
        do {
            struct pollfd waiting = {.fd = notifications, .events = POLLIN};
            if (poll(&waiting, 1, 10000) != 1) fail("%s is not ready after 10 s", command[0]);
            ssize_t got = recv(notifications, text, sizeof text - 1, 0);
            text[got < 0 ? 0 : got] = 0;
        } while (!strstr(text, "READY=1"));
        int64_t after = now();
        printf("%lld\n", (long long)(after - before));
        kill(pid, SIGTERM);
        int status;
        waitpid(pid, &status, 0);
        while (recv(notifications, text, sizeof text, MSG_DONTWAIT) > 0) continue;
    }
    unlink(path);
}

// `uevent FILE ACTION FIFO COUNT GAP`: from before the write to the uevent file to the time that the hook wrote.
static void time_uevents(const char *file, const char *action, const char *fifo, long count, long gap) {
    int hook = open(fifo, O_RDWR | O_CLOEXEC), event = open(file, O_WRONLY | O_CLOEXEC);
    if (hook < 0) fail("%s: %s", fifo, strerror(errno));
    if (event < 0) fail("%s: %s", file, strerror(errno));
    int64_t began;
    for (long run = 0; run < count; run++) {
        struct pollfd waiting = {.fd = hook, .events = POLLIN};
        // The results of earlier events are read, and the machine becomes idle.
        while (poll(&waiting, 1, (int)gap) == 1)
            if (read(hook, &began, sizeof began) < 0) fail("%s: %s", fifo, strerror(errno));
        int64_t before = now();
        if (write(event, action, strlen(action)) < 0) fail("%s: %s", file, strerror(errno));
        if (poll(&waiting, 1, 5000) != 1) fail("no hook ran within 5 s of %s to %s", action, file);
        if (read(hook, &began, sizeof began) != sizeof began) fail("%s: a short read", fifo);
        printf("%lld\n", (long long)(began - before));
    }
}

int main(int argc, char **argv) {
    if (argc >= 5 && !strcmp(argv[1], "time")) time_processes(number(argv[2]), number(argv[3]), argv + 4);
    else if (argc == 5 && !strcmp(argv[1], "call")) time_calls(argv[2], number(argv[3]), argv[4]);
    else if (argc == 3 && !strcmp(argv[1], "echo")) echo(argv[2]);
    else if (argc >= 5 && !strcmp(argv[1], "ready")) time_readiness(argv[2], number(argv[3]), argv + 4);
    else if (argc == 7 && !strcmp(argv[1], "uevent"))
        time_uevents(argv[2], argv[3], argv[4], number(argv[5]), number(argv[6]));
    else fail("usage: time COUNT FIRST COMMAND… | call SOCKET COUNT MESSAGE | echo SOCKET | "
              "ready SOCKET COUNT COMMAND… | uevent FILE ACTION FIFO COUNT GAP");
    return 0;
}
