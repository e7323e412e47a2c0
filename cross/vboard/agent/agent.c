// The guest agent of the virtual board: runs commands, moves files and waits for files on behalf of the host, over a
// virtio-serial port, so that it works while the network is down. One thread, one poll loop, no shell, no allocation
// that a peer decides. `../agent.md` describes the frames.
//
//   vboard-agent              serves the port `cleat.agent`
//   vboard-agent load LIST    loads the kernel modules that LIST names, one path a line (a boot without modprobe)

#define _GNU_SOURCE
#include "agent.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORT_NAME "cleat.agent"

static int port = -1, signals = -1, uevents = -1;

void note(const char *format, ...) {
    char line[512];
    va_list list;
    va_start(list, format);
    int count = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (count > (int)sizeof line - 1) count = sizeof line - 1;
    dprintf(2, "vboard-agent: %.*s\n", count, line);
}

void shut(int *file) {
    if (*file >= 0) close(*file);
    *file = -1;
}

static int open_port(void) {
    DIR *ports = opendir("/sys/class/virtio-ports");
    struct dirent *entry;
    char path[300], name[64];
    int result = -1;
    errno = ENOENT;
    while (ports && result < 0 && (entry = readdir(ports))) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/sys/class/virtio-ports/%s/name", entry->d_name);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t count = file >= 0 ? read(file, name, sizeof name - 1) : -1;
        shut(&file);
        if (count <= 0 || (name[count] = 0, strncmp(name, PORT_NAME "\n", sizeof PORT_NAME) != 0)) continue;
        snprintf(path, sizeof path, "/dev/%s", entry->d_name);
        result = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    }
    if (ports) closedir(ports);
    return result;
}

static int open_uevents(void) {
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = 1};
    int file = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
    if (file >= 0 && bind(file, (struct sockaddr *)&address, sizeof address)) shut(&file);
    return file;
}

static void drain(int file) {
    uint8_t buffer[8192];
    // ENOBUFS only says that some were lost; the waits look at the files themselves.
    while (read(file, buffer, sizeof buffer) > 0 || errno == ENOBUFS || errno == EINTR) {}
}

struct watch {
    struct job *job;
    char what;
};

static int serve(void) {
    static struct pollfd list[3 + JOBS_MAX * 3];
    static struct watch watches[3 + JOBS_MAX * 3];
    bool connected = true;
    while (true) {
        nfds_t count = 0;
        bool waiting = false, ready = false, blocked = room() < CONTROL_RESERVE + CHUNK;
        short events = (room() >= CONTROL_RESERVE ? POLLIN : 0) | (output_waits() ? POLLOUT : 0);
        list[count++] = (struct pollfd){.fd = connected ? port : -1, .events = events};
        list[count++] = (struct pollfd){.fd = signals, .events = POLLIN};
        for (int i = 0; i < JOBS_MAX; i++) {
            waiting |= jobs[i].kind == WAITING;
            ready |= !blocked && (jobs[i].kind == GETTING || (jobs[i].kind == PROCESS && jobs[i].reaped));
        }
        list[count++] = (struct pollfd){.fd = uevents, .events = POLLIN};
        for (int i = 0; i < JOBS_MAX; i++) {
            struct job *job = &jobs[i];
            if (job->kind != PROCESS) continue;
            int files[3] = {job->input_length > 0 ? job->in : -1, blocked ? -1 : job->out, blocked ? -1 : job->err};
            for (int n = 0; n < 3; n++) {
                if (files[n] < 0) continue;
                watches[count] = (struct watch){job, "ioe"[n]};
                list[count++] = (struct pollfd){.fd = files[n], .events = n == 0 ? POLLOUT : POLLIN};
            }
        }
        // Files of procfs and sysfs, and a link's carrier, change without a uevent: waits look again ten times a second.
        int limit = ready ? 0 : waiting || !connected ? 100 : -1;
        if (poll(list, count, limit) < 0 && errno != EINTR) return note("poll: %s", strerror(errno)), 1;

        if (list[1].revents) {
            struct signalfd_siginfo info;
            while (read(signals, &info, sizeof info) > 0) {}
            reap();
        }
        if (list[2].revents) drain(uevents);
        for (nfds_t i = 3; i < count; i++) {
            struct job *job = watches[i].job;
            if (!list[i].revents || job->kind != PROCESS) continue;
            if (watches[i].what == 'i') push_input(job);
            if (watches[i].what == 'o') pull(job, &job->out, &job->out_left, R_OUT);
            if (watches[i].what == 'e') pull(job, &job->err, &job->err_left, R_ERR);
        }
        for (int i = 0; i < JOBS_MAX; i++) {
            if (jobs[i].kind == PROCESS) finish_if_done(&jobs[i]);
            if (jobs[i].kind == GETTING) continue_get(&jobs[i]);
            if (jobs[i].kind == WAITING) check_wait(&jobs[i]);
        }
        bool good = read_frames(port) && flush_out(port);
        if (!good && connected) { // the host's end is gone: nothing of its session stays
            reset_jobs();
            forget_input();
            forget_output();
        }
        connected = good;
    }
}

int main(int count, char **arguments) {
    if (count == 3 && strcmp(arguments[1], "load") == 0) return load(arguments[2]);
    if (count != 1) return note("usage: vboard-agent [load LIST]"), 64;
    for (int file = open("/dev/null", O_RDWR); file >= 0; file = dup(file))
        if (file > 2) {
            close(file);
            break;
        }
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    uevents = open_uevents();
    // The port may appear later than the agent starts: each uevent is a reason to look again.
    for (int tries = 0; (port = open_port()) < 0; tries++) {
        if (tries == 600) return note("no port %s: %s", PORT_NAME, strerror(errno)), 1;
        struct pollfd wait = {.fd = uevents, .events = POLLIN};
        if (poll(&wait, 1, 100) > 0) drain(uevents);
    }
    send_hello((const uint8_t[8]){0});
    return serve();
}
