// Takes samples for Benchmarks/run, one number of nanoseconds a line, and contains the floors: programs that do what a
// measured one cannot avoid, and nothing else. In C, and small, so that its own part in what it measures is small.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
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

// The argument with every `{n}` replaced by a number: of the run, so that every set sets something new.
static char *filled(const char *argument, const char *name, long n) {
    const char *mark = strstr(argument, name);
    if (!mark) return strdup(argument);
    char *rest = filled(mark + strlen(name), name, n), *result;
    if (asprintf(&result, "%.*s%ld%s", (int)(mark - argument), argument, n, rest) < 0) fail("out of memory");
    free(rest);
    return result;
}

static int connected(const char *path) {
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un peer = address(path);
    if (connect(connection, (struct sockaddr *)&peer, sizeof peer) < 0) fail("%s: %s", path, strerror(errno));
    return connection;
}

static void send_message(int connection, const char *message) {
    size_t length = strlen(message) + 1;
    if (write(connection, message, length) != (ssize_t)length) fail("a short write to the service");
}

// Reads one reply, up to its NUL.
static const char *reply(int connection) {
    static char bytes[1 << 20];
    size_t length = 0;
    do {
        ssize_t got = read(connection, bytes + length, sizeof bytes - length);
        if (got <= 0) fail("the service closed the connection");
        length += (size_t)got;
    } while (bytes[length - 1]);
    if (strstr(bytes, "\"error\"")) fail("the service replied %.300s", bytes);
    return bytes;
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
        for (int i = 0; i < words; i++) arguments[i] = filled(command[i], "{n}", first + run);
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

// `peak OUTPUT PROGRAM ARGUMENT…`: the time of one process, then its peak resident memory in bytes. The peak includes
// that of the process that starts it, which is small here.
static void measure_peak(const char *output, char **command) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int64_t before = now();
    pid_t pid = start(command, &files);
    int status;
    struct rusage usage;
    if (wait4(pid, &status, 0, &usage) < 0) fail("wait4: %s", strerror(errno));
    int64_t after = now();
    if (status) fail("%s failed (status %#x)", command[0], status);
    printf("%lld\n%lld\n", (long long)(after - before), (long long)usage.ru_maxrss * 1024);
}

// `call SOCKET COUNT FIRST MESSAGE`: from before the request's write to the NUL that ends the reply, on one connection.
static void time_calls(const char *path, long count, long first, const char *message) {
    int connection = connected(path);
    long warm_up = 10;
    for (long run = -warm_up; run < count; run++) {
        char *request = filled(message, "{n}", first + warm_up + run);
        int64_t before = now();
        send_message(connection, request);
        reply(connection);
        int64_t after = now();
        free(request);
        if (run >= 0) printf("%lld\n", (long long)(after - before));
    }
}

// `writers SOCKET WRITERS SECONDS MESSAGE`: connections that each send a request as soon as the former one is answered;
// prints the number of answers of each. `{w}` is the number of the writer.
static void count_answers(const char *path, long writers, long seconds, const char *message) {
    struct pollfd *connections = calloc((size_t)writers, sizeof *connections);
    char **texts = calloc((size_t)writers, sizeof *texts);
    long *answers = calloc((size_t)writers, sizeof *answers);
    if (!connections || !texts || !answers) fail("out of memory");
    int64_t end = now() + (int64_t)seconds * 1000000000;
    for (long i = 0; i < writers; i++) {
        connections[i] = (struct pollfd){.fd = connected(path), .events = POLLIN};
        texts[i] = filled(message, "{w}", i);
        char *request = filled(texts[i], "{n}", 0);
        send_message(connections[i].fd, request);
        free(request);
    }
    while (now() < end) {
        if (poll(connections, (nfds_t)writers, 10000) <= 0) fail("%s: no answer within 10 s", path);
        for (long i = 0; i < writers; i++) {
            if (!connections[i].revents) continue;
            reply(connections[i].fd);
            char *request = filled(texts[i], "{n}", ++answers[i] % 60000);
            send_message(connections[i].fd, request);
            free(request);
        }
    }
    for (long i = 0; i < writers; i++) printf("%ld\n", answers[i]);
}

// `watch SOCKET WATCHERS COUNT FIRST MESSAGE WATCH`: from the answer to a change to the last watcher that has it.
static void time_watchers(
    const char *path, long watchers, long count, long first, const char *message, const char *watch) {
    int connection = connected(path);
    struct pollfd *waiting = calloc((size_t)watchers, sizeof *waiting);
    if (!waiting) fail("out of memory");
    for (long i = 0; i < watchers; i++) {
        waiting[i] = (struct pollfd){.fd = connected(path), .events = POLLIN};
        send_message(waiting[i].fd, watch);
        reply(waiting[i].fd);
    }
    for (long run = 0; run < count; run++) {
        char *request = filled(message, "{n}", first + run);
        send_message(connection, request);
        reply(connection);
        int64_t answered = now(), last = answered;
        free(request);
        for (long i = 0; i < watchers; i++) {
            if (poll(&waiting[i], 1, 10000) != 1) fail("watcher %ld received no change within 10 s", i);
            reply(waiting[i].fd);
            last = now();
        }
        printf("%lld\n", (long long)(last - answered));
    }
}

// `get SOCKET MESSAGE`: prints the reply to one request. The floor of a get by a program.
static void get(const char *path, const char *message) {
    int connection = connected(path);
    send_message(connection, message);
    const char *text = reply(connection);
    size_t length = strlen(text);
    if (write(1, text, length) != (ssize_t)length) fail("standard output: %s", strerror(errno));
}

// `write FILE COUNT`: writes 4 KB in place and flushes them. The floor of a durable set.
static void time_writes(const char *path, long count) {
    static char block[4096];
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) fail("%s: %s", path, strerror(errno));
    for (long run = 0; run < count; run++) {
        block[0] = (char)run;
        int64_t before = now();
        if (pwrite(file, block, sizeof block, 0) != sizeof block || fdatasync(file) < 0)
            fail("%s: %s", path, strerror(errno));
        printf("%lld\n", (long long)(now() - before));
    }
}

// `listen SUBJECT HOOK FIFO`: runs the hook at each uevent of a device. The floor of a kernel event to its hook.
static void listen_to_events(const char *subject, char **hook) {
    int events = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK, .nl_groups = 1};
    if (bind(events, (struct sockaddr *)&kernel, sizeof kernel) < 0) fail("uevents: %s", strerror(errno));
    for (;;) {
        char text[8192];
        ssize_t got = recv(events, text, sizeof text - 1, 0);
        if (got <= 0) continue;
        text[got] = 0;
        const char *at = strchr(text, '@');
        if (!at || strcmp(at + 1, subject)) continue;
        waitpid(start(hook, NULL), NULL, 0);
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
    const char *verb = argc > 1 ? argv[1] : "";
    if (argc >= 5 && !strcmp(verb, "time")) time_processes(number(argv[2]), number(argv[3]), argv + 4);
    else if (argc >= 4 && !strcmp(verb, "peak")) measure_peak(argv[2], argv + 3);
    else if (argc == 6 && !strcmp(verb, "call")) time_calls(argv[2], number(argv[3]), number(argv[4]), argv[5]);
    else if (argc == 6 && !strcmp(verb, "writers")) count_answers(argv[2], number(argv[3]), number(argv[4]), argv[5]);
    else if (argc == 8 && !strcmp(verb, "watch"))
        time_watchers(argv[2], number(argv[3]), number(argv[4]), number(argv[5]), argv[6], argv[7]);
    else if (argc == 4 && !strcmp(verb, "get")) get(argv[2], argv[3]);
    else if (argc == 4 && !strcmp(verb, "write")) time_writes(argv[2], number(argv[3]));
    else if (argc == 5 && !strcmp(verb, "listen")) listen_to_events(argv[2], argv + 3);
    else if (argc == 3 && !strcmp(verb, "echo")) echo(argv[2]);
    else if (argc >= 5 && !strcmp(verb, "ready")) time_readiness(argv[2], number(argv[3]), argv + 4);
    else if (argc == 7 && !strcmp(verb, "uevent"))
        time_uevents(argv[2], argv[3], argv[4], number(argv[5]), number(argv[6]));
    else fail("usage: time COUNT FIRST COMMAND… | peak OUTPUT COMMAND… | call SOCKET COUNT FIRST MESSAGE | "
              "writers SOCKET WRITERS SECONDS MESSAGE | "
              "watch SOCKET WATCHERS COUNT FIRST MESSAGE WATCH | get SOCKET MESSAGE | write FILE COUNT | "
              "listen SUBJECT HOOK FIFO | echo SOCKET | ready SOCKET COUNT COMMAND… | "
              "uevent FILE ACTION FIFO COUNT GAP");
    return 0;
}
