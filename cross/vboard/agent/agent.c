// The guest agent of the virtual board: runs commands, copies files and waits for files on behalf of the host, over a
// virtio-serial port, so that it works while the network is down. One thread, one poll loop, no shell, no allocation
// of a size that a peer chooses. `../agent.md` describes the frames; a header includes only headers of the parts below.
//
//   vboard-agent              serves the port `cleat.agent`
//   vboard-agent load LIST    loads the kernel modules that LIST names, one path a line (a boot without modprobe)

#define _GNU_SOURCE
#include "descriptor.h"
#include "file.h"
#include "frames.h"
#include "input.h"
#include "jobs.h"
#include "log.h"
#include "modules.h"
#include "output.h"
#include "port.h"
#include "process.h"
#include "wait.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int port = -1, signals = -1, uevents = -1;

static int open_uevents(void) {
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = 1};
    int file = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
    if (file >= 0 && bind(file, (struct sockaddr *)&address, sizeof address)) shut(&file);
    return file;
}

static void drain(int file) {
    uint8_t buffer[8192];
    // ENOBUFS reports that some were lost; the waits check the files themselves.
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
        bool waiting = false, ready = false, blocked = output_space() < CONTROL_RESERVE + CHUNK;
        short events = (output_space() >= CONTROL_RESERVE ? POLLIN : 0) | (output_pending() ? POLLOUT : 0);
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
        // Files of procfs and sysfs, and a link's carrier, change without a uevent: waits are checked ten times a second.
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
        bool good = read_frames(port) && flush_output(port);
        if (!good && connected) { // the host's end is closed: its session ends
            reset_jobs();
            clear_input();
            clear_output();
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
    // The port may appear later than the agent starts: each uevent is a reason to try again.
    for (int tries = 0; (port = open_port()) < 0; tries++) {
        if (tries == 600) return note("no virtio-serial port: %s", strerror(errno)), 1;
        struct pollfd wait = {.fd = uevents, .events = POLLIN};
        if (poll(&wait, 1, 100) > 0) drain(uevents);
    }
    send_hello((const uint8_t[8]){0});
    return serve();
}
