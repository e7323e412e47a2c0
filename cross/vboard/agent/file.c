#include "file.h"
#include "descriptor.h"
#include "frames.h"
#include "output.h"
#include "payload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_parents(const char *path) {
    char partial[PATH_MAX];
    snprintf(partial, sizeof partial, "%s", path);
    for (char *slash = strchr(partial + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(partial, 0755);
        *slash = '/';
    }
}

void begin_put(uint32_t id, uint8_t *payload, uint32_t length) {
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
    // Next to the destination and renamed over it: a program that runs can be replaced, and an interrupted put leaves
    // the former file.
    job->file = open(job->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (job->file < 0) job->error = errno, job->temporary[0] = 0;
    else if (fchmod(job->file, mode & 07777)) job->error = errno;
}

void continue_put(struct job *job, uint8_t *payload, uint32_t length) {
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

void begin_get(uint32_t id, uint8_t *payload, uint32_t length) {
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

void continue_get(struct job *job) {
    static uint8_t piece[CHUNK];
    while (output_space() >= CONTROL_RESERVE + CHUNK) {
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
