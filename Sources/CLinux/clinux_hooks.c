#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "clinux_hooks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int clinux_hooks_open_root(void) {
    int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int clinux_hooks_open_path(int directory, const char *name) {
    int fd = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int clinux_hooks_open_file(int directory, const char *name) {
    int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int clinux_hooks_look(int fd, struct clinux_hooks_status *status) {
    struct stat buffer;
    if (fstat(fd, &buffer) < 0) return -errno;
    status->uid = buffer.st_uid;
    status->gid = buffer.st_gid;
    status->mode = buffer.st_mode;
    status->size = buffer.st_size < 0 ? 0 : (uint64_t)buffer.st_size;
    return 0;
}

long clinux_hooks_read_link(int fd, char *buffer, size_t size) {
    ssize_t count = readlinkat(fd, "", buffer, size);
    return count < 0 ? -errno : (long)count;
}

int clinux_hooks_is_executable(int directory, const char *name) {
    return faccessat(directory, name, X_OK, 0) < 0 ? -errno : 0;
}

long clinux_hooks_list(int directory, char *buffer, size_t size) {
    int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return -errno;
    DIR *stream = fdopendir(fd);
    if (stream == NULL) {
        int error = errno;
        close(fd);
        return -error;
    }
    size_t used = 0;
    long result;
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(stream);
        if (entry == NULL) {
            result = errno != 0 ? -errno : (long)used;
            break;
        }
        size_t length = strlen(entry->d_name) + 1;
        if (length > size - used) {
            result = -E2BIG;
            break;
        }
        memcpy(buffer + used, entry->d_name, length);
        used += length;
    }
    closedir(stream);
    return result;
}
