#define _GNU_SOURCE
#include "process.h"
#include "descriptor.h"
#include "frames.h"
#include "log.h"
#include "output.h"
#include "payload.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define STRINGS_MAX 512
#define STDIN_WINDOW 65536u

struct request {
    uint8_t flags;
    const char *user, *directory;
    char *arguments[STRINGS_MAX + 1], *environment[STRINGS_MAX + 1];
};

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

void start(uint32_t id, uint8_t *payload, uint32_t length) {
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
    if (job->in >= 0) nonblocking(job->in);
    nonblocking(job->out);
    if (job->err >= 0) nonblocking(job->err);
    uint32_t pid = (uint32_t)job->pid;
    send_frame(R_STARTED, id, &pid, sizeof pid);
}

// The bytes that the host sent to a process and that it has not read; unused pages take no memory.
static uint8_t *input_of(struct job *job) {
    static uint8_t inputs[JOBS_MAX][STDIN_WINDOW];
    return inputs[job - jobs];
}

static void credit(struct job *job, uint32_t count) {
    if (count > 0) send_frame(R_CREDIT, job->id, &count, sizeof count);
}

void push_input(struct job *job) {
    while (job->input_length > 0 && job->in >= 0) {
        ssize_t count = write(job->in, input_of(job), job->input_length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return;
        if (count < 0) { // the process closed its input: the rest is dropped
            credit(job, job->input_length);
            job->input_length = 0;
            shut(&job->in);
            return;
        }
        job->input_length -= (uint32_t)count;
        memmove(input_of(job), input_of(job) + count, job->input_length);
        credit(job, (uint32_t)count);
    }
    if (job->input_length == 0 && job->in_ended) shut(&job->in);
}

void give_input(struct job *job, uint8_t *payload, uint32_t length) {
    if (length == 0) job->in_ended = true;
    else if (job->in < 0) return credit(job, length);
    else if (job->input_length + length > STDIN_WINDOW) {
        note("the host sent more than the window of %u bytes", STDIN_WINDOW);
        return;
    } else {
        memcpy(input_of(job) + job->input_length, payload, length);
        job->input_length += length;
    }
    push_input(job);
}

bool pull(struct job *job, int *file, int *left, uint32_t type) {
    static uint8_t piece[CHUNK];
    if (*file < 0 || output_space() < CONTROL_RESERVE + CHUNK) return false;
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

void finish_if_done(struct job *job) {
    if (!job->reaped) return;
    while (pull(job, &job->out, &job->out_left, R_OUT)) {}
    while (pull(job, &job->err, &job->err_left, R_ERR)) {}
    if (job->out >= 0 || job->err >= 0) return; // the queue is full
    if (WIFSIGNALED(job->status)) send_exit(job->id, SIGNALLED, WTERMSIG(job->status));
    else send_exit(job->id, EXITED, WEXITSTATUS(job->status));
    drop(job);
}

// The process's own output is in its pipes when it ends; a background process that keeps them open is not waited for.
void reap(void) {
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
