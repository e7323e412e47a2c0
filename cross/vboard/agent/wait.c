#include "wait.h"
#include "frames.h"
#include "output.h"
#include "payload.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void begin_wait(uint32_t id, uint8_t *payload, uint32_t length) {
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

void check_wait(struct job *job) {
    glob_t matches;
    char found[PATH_MAX * 2];
    size_t length = 0, count = 0;
    if (output_space() < CONTROL_RESERVE + sizeof found) return;
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
