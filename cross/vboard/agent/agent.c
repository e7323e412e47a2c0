// The guest agent of the virtual board: runs commands, moves files and waits for files on behalf of the host, over a
// virtio-serial port, so that it works while the network is down. One thread, one poll loop, no shell, no allocation
// that a peer decides. `../agent.md` describes the frames.
//
//   vboard-agent              serves the port `cleat.agent`
//   vboard-agent load LIST    loads the kernel modules that LIST names, one path a line (a boot without modprobe)

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <limits.h>
#include <linux/netlink.h>
#include <linux/random.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define PORT_NAME "cleat.agent"
#define MAGIC 0x544C4356u // "VCLT"
#define VERSION 1u
#define PAYLOAD_MAX 65536u
#define CHUNK 32768u
#define JOBS_MAX 64
#define STRINGS_MAX 512
#define STDIN_WINDOW 65536u
#define OUT_CAPACITY (512u * 1024u)
#define CONTROL_RESERVE (128u * 1024u)

enum { HELLO = 1, EXEC, DATA, SIGNAL, PUT, GET, WAIT, CLOCK };
enum { R_HELLO = 16, R_OUT, R_ERR, R_EXIT, R_CREDIT, R_STARTED, R_FAULT };
enum { EXITED = 0, SIGNALLED = 1, FAILED = 2 };
enum { EXEC_STDIN = 1, EXEC_TERMINAL = 2 };
enum { WAIT_PRESENT = 1, WAIT_CONTENT = 2 };

struct header {
    uint32_t magic, length, type, id;
};

enum kind { FREE = 0, PROCESS, PUTTING, GETTING, WAITING };

struct job {
    enum kind kind;
    uint32_t id;
    // A process.
    pid_t pid;
    int in, out, err;
    bool reaped, in_ended;
    int status;
    int out_left, err_left; // what was in the pipes when the process ended; -1 while it runs
    uint8_t *input;
    uint32_t input_length;
    // A file on its way in or out.
    int file, error;
    char path[PATH_MAX], temporary[PATH_MAX];
    // A wait.
    uint8_t flags;
    char content[256];
};

static struct job jobs[JOBS_MAX];
static int port = -1, signals = -1, uevents = -1;
static uint8_t out_buffer[OUT_CAPACITY];
static uint32_t out_start, out_length;
static uint8_t in_buffer[sizeof(struct header) + PAYLOAD_MAX];
static uint32_t in_length;

static void note(const char *format, ...) {
    char line[512];
    va_list list;
    va_start(list, format);
    int count = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (count > (int)sizeof line - 1) count = sizeof line - 1;
    dprintf(2, "vboard-agent: %.*s\n", count, line);
}

// MARK: Output

static uint32_t room(void) { return OUT_CAPACITY - out_length; }

static void append(const void *bytes, uint32_t count) {
    const uint8_t *from = bytes;
    while (count > 0) {
        uint32_t at = (out_start + out_length) % OUT_CAPACITY;
        uint32_t part = OUT_CAPACITY - at < count ? OUT_CAPACITY - at : count;
        memcpy(out_buffer + at, from, part);
        out_length += part, from += part, count -= part;
    }
}

// Every caller leaves CONTROL_RESERVE free before it sends data, so a control frame always fits.
static void send_frame(uint32_t type, uint32_t id, const void *payload, uint32_t length) {
    struct header header = {MAGIC, length, type, id};
    if (room() < sizeof header + length) {
        note("no room for a frame of type %u", type);
        _exit(1);
    }
    append(&header, sizeof header);
    append(payload, length);
}

static void send_exit(uint32_t id, int32_t how, int32_t value) {
    int32_t payload[2] = {how, value};
    send_frame(R_EXIT, id, payload, sizeof payload);
}

static void send_hello(const uint8_t nonce[8]) {
    struct {
        uint32_t version, pid;
        uint8_t nonce[8];
        char boot[36];
    } hello = {.version = VERSION, .pid = (uint32_t)getpid()};
    memcpy(hello.nonce, nonce, 8);
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        if (read(file, hello.boot, sizeof hello.boot) < 0) memset(hello.boot, '?', sizeof hello.boot);
        close(file);
    }
    send_frame(R_HELLO, 0, &hello, sizeof hello);
}

static bool flush_out(void) {
    while (out_length > 0) {
        uint32_t part = OUT_CAPACITY - out_start < out_length ? OUT_CAPACITY - out_start : out_length;
        if (part > CHUNK) part = CHUNK;
        ssize_t count = write(port, out_buffer + out_start, part);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return true;
        if (count <= 0) return false;
        out_start = (out_start + (uint32_t)count) % OUT_CAPACITY;
        out_length -= (uint32_t)count;
    }
    return true;
}

// MARK: Jobs

static struct job *find(uint32_t id) {
    for (int i = 0; i < JOBS_MAX; i++)
        if (jobs[i].kind != FREE && jobs[i].id == id) return &jobs[i];
    return NULL;
}

static struct job *make(uint32_t id, enum kind kind) {
    if (find(id)) return NULL;
    for (int i = 0; i < JOBS_MAX; i++)
        if (jobs[i].kind == FREE) {
            memset(&jobs[i], 0, sizeof jobs[i]);
            jobs[i].kind = kind, jobs[i].id = id;
            jobs[i].in = jobs[i].out = jobs[i].err = jobs[i].file = -1;
            jobs[i].out_left = jobs[i].err_left = -1;
            return &jobs[i];
        }
    return NULL;
}

static void shut(int *file) {
    if (*file >= 0) close(*file);
    *file = -1;
}

static void drop(struct job *job) {
    shut(&job->in), shut(&job->out), shut(&job->err), shut(&job->file);
    if (job->kind == PUTTING && job->temporary[0]) unlink(job->temporary);
    free(job->input);
    job->input = NULL;
    job->kind = FREE;
}

// A new session of the host starts from nothing: what an earlier one left running is killed.
static void reset_jobs(void) {
    for (int i = 0; i < JOBS_MAX; i++) {
        if (jobs[i].kind == FREE) continue;
        if (jobs[i].kind == PROCESS && !jobs[i].reaped) kill(-jobs[i].pid, SIGKILL);
        drop(&jobs[i]);
    }
}

// MARK: Processes

struct request {
    uint8_t flags;
    const char *user, *directory;
    char *arguments[STRINGS_MAX + 1], *environment[STRINGS_MAX + 1];
};

// Reads one NUL-terminated string; NULL past the end.
static char *string(uint8_t **at, uint8_t *end) {
    uint8_t *nul = memchr(*at, 0, (size_t)(end - *at));
    if (!nul) return NULL;
    char *result = (char *)*at;
    *at = nul + 1;
    return result;
}

static bool strings(uint8_t **at, uint8_t *end, char **into) {
    uint16_t count;
    if (end - *at < 2) return false;
    memcpy(&count, *at, 2), *at += 2;
    if (count > STRINGS_MAX) return false;
    for (int i = 0; i < count; i++)
        if (!(into[i] = string(at, end))) return false;
    into[count] = NULL;
    return true;
}

static void fail_child(int report) {
    int error = errno;
    if (write(report, &error, sizeof error) < 0) _exit(126);
    _exit(127);
}

static void become(const char *name, int report) {
    struct passwd *entry = NULL;
    FILE *users = fopen("/etc/passwd", "re");
    while (users && (entry = fgetpwent(users)) && strcmp(entry->pw_name, name) != 0) {}
    if (!entry) errno = ENOENT, fail_child(report);
    gid_t groups[64];
    size_t count = 0;
    groups[count++] = entry->pw_gid;
    FILE *list = fopen("/etc/group", "re");
    struct group *group;
    while (list && count < 64 && (group = fgetgrent(list)))
        for (char **member = group->gr_mem; *member; member++)
            if (strcmp(*member, name) == 0 && count < 64) groups[count++] = group->gr_gid;
    if (setgroups(count, groups) || setresgid(entry->pw_gid, entry->pw_gid, entry->pw_gid) ||
        setresuid(entry->pw_uid, entry->pw_uid, entry->pw_uid))
        fail_child(report);
}

static void child(struct request *request, int in, int out, int err, const char *terminal, int report) {
    setsid();
    if (terminal) {
        in = out = err = open(terminal, O_RDWR | O_CLOEXEC);
        if (in < 0) fail_child(report);
        ioctl(in, TIOCSCTTY, 0);
    }
    // Descriptors 0 to 2 of the agent are open, so none of these is below 3 and no dup2 overwrites another.
    if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) fail_child(report);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int number = 1; number < 65; number++) signal(number, SIG_DFL);
    umask(022);
    if (request->user[0]) become(request->user, report);
    if (chdir(request->directory[0] ? request->directory : "/")) fail_child(report);
    execvpe(request->arguments[0], request->arguments, request->environment);
    fail_child(report);
}

static void nonblocking(int file) { fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK); }

static void start(uint32_t id, uint8_t *payload, uint32_t length) {
    static struct request request;
    uint8_t *at = payload + 1, *end = payload + length;
    if (length < 1 || (request.flags = payload[0], !(request.user = string(&at, end))) ||
        !(request.directory = string(&at, end)) || !strings(&at, end, request.arguments) ||
        !strings(&at, end, request.environment) || !request.arguments[0])
        return send_exit(id, FAILED, EBADMSG);
    struct job *job = make(id, PROCESS);
    if (!job) return send_exit(id, FAILED, EBUSY);

    int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, report[2] = {-1, -1};
    char *terminal = NULL;
    bool good = pipe2(report, O_CLOEXEC) == 0;
    if (request.flags & EXEC_TERMINAL) {
        in[1] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        good = good && in[1] >= 0 && grantpt(in[1]) == 0 && unlockpt(in[1]) == 0 && (terminal = ptsname(in[1]));
        out[0] = good ? fcntl(in[1], F_DUPFD_CLOEXEC, 3) : -1;
        good = good && out[0] >= 0;
    } else {
        if (request.flags & EXEC_STDIN) good = good && pipe2(in, O_CLOEXEC) == 0;
        else good = good && (in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;
        good = good && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0;
    }
    job->pid = good ? fork() : -1;
    if (job->pid == 0) child(&request, in[0], out[1], err[1], terminal, report[1]);
    int error = errno;
    shut(&report[1]), shut(&in[0]), shut(&out[1]), shut(&err[1]);
    job->in = in[1], job->out = out[0], job->err = err[0];
    if (job->pid < 0) {
        shut(&report[0]);
        drop(job);
        return send_exit(id, FAILED, error);
    }
    // The report pipe closes when the program starts, so this read is as long as an exec.
    ssize_t count;
    while ((count = read(report[0], &error, sizeof error)) < 0 && errno == EINTR) {}
    shut(&report[0]);
    if (count == sizeof error) {
        drop(job);
        return send_exit(id, FAILED, error);
    }
    if (job->in >= 0) {
        nonblocking(job->in);
        job->input = malloc(STDIN_WINDOW);
    }
    nonblocking(job->out);
    if (job->err >= 0) nonblocking(job->err);
    uint32_t pid = (uint32_t)job->pid;
    send_frame(R_STARTED, id, &pid, sizeof pid);
}

static void credit(struct job *job, uint32_t count) {
    if (count > 0) send_frame(R_CREDIT, job->id, &count, sizeof count);
}

static void push_input(struct job *job) {
    while (job->input_length > 0 && job->in >= 0) {
        ssize_t count = write(job->in, job->input, job->input_length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return;
        if (count < 0) { // the process does not read any more: what it did not want is dropped
            credit(job, job->input_length);
            job->input_length = 0;
            shut(&job->in);
            return;
        }
        job->input_length -= (uint32_t)count;
        memmove(job->input, job->input + count, job->input_length);
        credit(job, (uint32_t)count);
    }
    if (job->input_length == 0 && job->in_ended) shut(&job->in);
}

static void give_input(struct job *job, uint8_t *payload, uint32_t length) {
    if (length == 0) job->in_ended = true;
    else if (job->in < 0) return credit(job, length);
    else if (!job->input || job->input_length + length > STDIN_WINDOW) {
        note("the host sent more than the window of %u bytes", STDIN_WINDOW);
        return;
    } else {
        memcpy(job->input + job->input_length, payload, length);
        job->input_length += length;
    }
    push_input(job);
}

// Reads one piece of a stream; false when nothing more is to be had now.
static bool pull(struct job *job, int *file, int *left, uint32_t type) {
    static uint8_t piece[CHUNK];
    if (*file < 0 || room() < CONTROL_RESERVE + CHUNK) return false;
    if (*left == 0) return shut(file), false;
    size_t want = *left > 0 && (uint32_t)*left < CHUNK ? (size_t)*left : CHUNK;
    ssize_t count = read(*file, piece, want);
    if (count < 0 && errno == EINTR) return true;
    if (count < 0 && errno == EAGAIN) {
        if (*left >= 0) shut(file);
        return false;
    }
    if (count <= 0) return shut(file), false;
    if (*left > 0) *left -= (int)count;
    send_frame(type, job->id, piece, (uint32_t)count);
    return true;
}

static void finish_if_done(struct job *job) {
    if (!job->reaped) return;
    while (pull(job, &job->out, &job->out_left, R_OUT)) {}
    while (pull(job, &job->err, &job->err_left, R_ERR)) {}
    if (job->out >= 0 || job->err >= 0) return; // no room just now
    if (WIFSIGNALED(job->status)) send_exit(job->id, SIGNALLED, WTERMSIG(job->status));
    else send_exit(job->id, EXITED, WEXITSTATUS(job->status));
    drop(job);
}

// What a process itself wrote is in its pipes when it ends; a background process that holds them open is not waited for.
static void reap(void) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        for (int i = 0; i < JOBS_MAX; i++) {
            struct job *job = &jobs[i];
            if (job->kind != PROCESS || job->pid != pid || job->reaped) continue;
            job->reaped = true, job->status = status;
            job->out_left = job->err_left = 0;
            if (job->out >= 0) ioctl(job->out, FIONREAD, &job->out_left);
            if (job->err >= 0) ioctl(job->err, FIONREAD, &job->err_left);
        }
}

// MARK: Files

static void make_parents(const char *path) {
    char partial[PATH_MAX];
    snprintf(partial, sizeof partial, "%s", path);
    for (char *slash = strchr(partial + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(partial, 0755);
        *slash = '/';
    }
}

static void begin_put(uint32_t id, uint8_t *payload, uint32_t length) {
    uint32_t mode;
    uint8_t *at = payload + 4;
    char *path = length > 4 ? string(&at, payload + length) : NULL;
    if (!path || path[0] != '/' || strlen(path) + 16 > PATH_MAX) return send_exit(id, FAILED, EINVAL);
    memcpy(&mode, payload, 4);
    struct job *job = make(id, PUTTING);
    if (!job) return send_exit(id, FAILED, EBUSY);
    make_parents(path);
    strcpy(job->path, path);
    snprintf(job->temporary, sizeof job->temporary, "%.*s.%u-put", (int)sizeof job->temporary - 16, path, id);
    // Beside the destination and renamed over it: a program that runs can be replaced, and a put that breaks off
    // leaves what was there.
    job->file = open(job->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (job->file < 0) job->error = errno, job->temporary[0] = 0;
    else if (fchmod(job->file, mode & 07777)) job->error = errno;
}

static void continue_put(struct job *job, uint8_t *payload, uint32_t length) {
    if (length > 0) {
        while (length > 0 && job->error == 0) {
            ssize_t count = write(job->file, payload, length);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) job->error = errno;
            else payload += count, length -= (uint32_t)count;
        }
        return;
    }
    shut(&job->file);
    if (job->error == 0 && rename(job->temporary, job->path)) job->error = errno;
    if (job->error == 0) job->temporary[0] = 0;
    send_exit(job->id, job->error ? FAILED : EXITED, job->error);
    drop(job);
}

static void begin_get(uint32_t id, uint8_t *payload, uint32_t length) {
    uint8_t *at = payload;
    char *path = string(&at, payload + length);
    struct job *job = path ? make(id, GETTING) : NULL;
    if (!job) return send_exit(id, FAILED, path ? EBUSY : EINVAL);
    job->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (job->file < 0) {
        send_exit(id, FAILED, errno);
        drop(job);
    }
}

static void continue_get(struct job *job) {
    static uint8_t piece[CHUNK];
    while (room() >= CONTROL_RESERVE + CHUNK) {
        ssize_t count = read(job->file, piece, sizeof piece);
        if (count < 0 && errno == EINTR) continue;
        if (count > 0) {
            send_frame(R_OUT, job->id, piece, (uint32_t)count);
            continue;
        }
        send_exit(job->id, count < 0 ? FAILED : EXITED, count < 0 ? errno : 0);
        return drop(job);
    }
}

// MARK: Waits

static void begin_wait(uint32_t id, uint8_t *payload, uint32_t length) {
    uint8_t *at = payload + 1, *end = payload + length;
    char *pattern = length > 1 ? string(&at, end) : NULL, *content = pattern ? string(&at, end) : NULL;
    struct job *job = content && strlen(pattern) < PATH_MAX && strlen(content) < sizeof job->content
        ? make(id, WAITING) : NULL;
    if (!job) return send_exit(id, FAILED, EINVAL);
    job->flags = payload[0];
    strcpy(job->path, pattern);
    strcpy(job->content, content);
}

static bool holds(const char *path, const char *content) {
    char buffer[512];
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return false;
    ssize_t count = read(file, buffer, sizeof buffer - 1);
    close(file);
    while (count > 0 && (buffer[count - 1] == '\n' || buffer[count - 1] == ' ')) count--;
    return count >= 0 && (size_t)count == strlen(content) && memcmp(buffer, content, (size_t)count) == 0;
}

static void check_wait(struct job *job) {
    glob_t matches;
    char found[PATH_MAX * 2];
    size_t length = 0, count = 0;
    if (room() < CONTROL_RESERVE + sizeof found) return;
    if (glob(job->path, GLOB_NOSORT, NULL, &matches) == 0) {
        for (size_t i = 0; i < matches.gl_pathc; i++) {
            const char *path = matches.gl_pathv[i];
            if ((job->flags & WAIT_CONTENT) && !holds(path, job->content)) continue;
            count++;
            if (length + strlen(path) + 2 < sizeof found)
                length += (size_t)sprintf(found + length, "%s\n", path);
        }
        globfree(&matches);
    }
    if ((count > 0) != ((job->flags & WAIT_PRESENT) != 0)) return;
    send_frame(R_OUT, job->id, found, (uint32_t)length);
    send_exit(job->id, EXITED, 0);
    drop(job);
}

// MARK: Frames

// A restored board has the clock and the random numbers of the moment when it was saved.
static void set_clock(uint32_t id, uint8_t *payload, uint32_t length) {
    int64_t nanoseconds;
    if (length < 8) return send_exit(id, FAILED, EINVAL);
    memcpy(&nanoseconds, payload, 8);
    struct timespec now = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    int error = clock_settime(CLOCK_REALTIME, &now) ? errno : 0;
    struct {
        int entropy, size;
        uint8_t bytes[64];
    } seed = {.entropy = 256, .size = sizeof seed.bytes};
    int random = open("/dev/urandom", O_RDWR | O_CLOEXEC);
    if (random >= 0 && length >= 8 + sizeof seed.bytes) {
        memcpy(seed.bytes, payload + 8, sizeof seed.bytes);
        if (ioctl(random, RNDADDENTROPY, &seed) || ioctl(random, RNDRESEEDCRNG)) note("random seed: %s", strerror(errno));
    }
    shut(&random);
    send_exit(id, error ? FAILED : EXITED, error);
}

static void send_signal(struct job *job, uint8_t *payload, uint32_t length) {
    int32_t fields[2]; // the number, and whether the whole group gets it
    if (length < sizeof fields) return;
    memcpy(fields, payload, sizeof fields);
    if (job->kind == PROCESS) {
        if (!job->reaped) kill(fields[1] ? -job->pid : job->pid, fields[0]);
    } else {
        send_exit(job->id, FAILED, ECANCELED);
        drop(job);
    }
}

static void handle(struct header *header, uint8_t *payload) {
    struct job *job = find(header->id);
    uint32_t length = header->length;
    switch (header->type) {
    case HELLO:
        reset_jobs();
        if (length >= 8) send_hello(payload);
        break;
    case EXEC: start(header->id, payload, length); break;
    case PUT: begin_put(header->id, payload, length); break;
    case GET: begin_get(header->id, payload, length); break;
    case WAIT: begin_wait(header->id, payload, length); break;
    case CLOCK: set_clock(header->id, payload, length); break;
    case DATA: // for a job that has just ended there is nobody left to give it to
        if (job && job->kind == PROCESS) give_input(job, payload, length);
        else if (job && job->kind == PUTTING) continue_put(job, payload, length);
        break;
    case SIGNAL:
        if (job) send_signal(job, payload, length);
        break;
    default: send_frame(R_FAULT, header->id, "unknown frame", 13);
    }
}

// Reads what the host sent; false when the host's end is closed or the stream makes no sense.
static bool read_frames(void) {
    while (room() >= CONTROL_RESERVE) {
        struct header header;
        uint32_t want = sizeof header;
        if (in_length >= sizeof header) {
            memcpy(&header, in_buffer, sizeof header);
            if (header.magic != MAGIC || header.length > PAYLOAD_MAX) {
                // Starts again behind the next byte: a host that died in the middle of a frame leaves half of it.
                memmove(in_buffer, in_buffer + 1, --in_length);
                continue;
            }
            want += header.length;
            if (in_length == want) {
                in_length = 0;
                handle(&header, in_buffer + sizeof header);
                continue;
            }
        }
        ssize_t count = read(port, in_buffer + in_length, want - in_length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return true;
        if (count <= 0) return false;
        in_length += (uint32_t)count;
    }
    return true;
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

// MARK: Loop

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
        short events = (room() >= CONTROL_RESERVE ? POLLIN : 0) | (out_length > 0 ? POLLOUT : 0);
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
        bool good = read_frames() && flush_out();
        if (!good && connected) { // the host's end is gone: nothing of its session stays
            reset_jobs();
            in_length = out_length = 0;
        }
        connected = good;
    }
}

static int load(const char *list) {
    FILE *file = fopen(list, "re");
    char line[PATH_MAX];
    int failed = 0;
    if (!file) return note("%s: %s", list, strerror(errno)), 1;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *parameters = strchr(line, ' ');
        if (parameters) *parameters++ = 0;
        if (!line[0] || line[0] == '#') continue;
        int module = open(line, O_RDONLY | O_CLOEXEC);
        if (module < 0 || (syscall(SYS_finit_module, module, parameters ? parameters : "", 0) && errno != EEXIST))
            note("%s: %s", line, strerror(errno)), failed = 1;
        shut(&module);
    }
    fclose(file);
    return failed;
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
