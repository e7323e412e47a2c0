#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "clinux_inotify.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

int clinux_inotify_open(void) {
    int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int clinux_inotify_watch(int queue, int directory, uint32_t events) {
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", directory);
    int watch = inotify_add_watch(queue, path, events | IN_ONLYDIR);
    return watch < 0 ? -errno : watch;
}

int clinux_inotify_remove(int queue, int watch) {
    return inotify_rm_watch(queue, watch) < 0 ? -errno : 0;
}

long clinux_inotify_read(int queue, void *buffer, size_t size) {
    ssize_t length;
    do {
        length = read(queue, buffer, size);
    } while (length < 0 && errno == EINTR);
    return length < 0 ? -(long)errno : (long)length;
}

int clinux_inotify_open_base(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

int clinux_inotify_open_directory(int directory, const char *name) {
    int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

int clinux_inotify_look(int directory, const char *name, struct clinux_inotify_entry *entry) {
    struct stat found;
    int flags = AT_SYMLINK_NOFOLLOW | (name[0] == 0 ? AT_EMPTY_PATH : 0);
    if (fstatat(directory, name, &found, flags) < 0) return -errno;
    entry->device = found.st_dev;
    entry->inode = found.st_ino;
    entry->size = found.st_size;
    entry->modified_seconds = found.st_mtim.tv_sec;
    entry->modified_nanoseconds = found.st_mtim.tv_nsec;
    entry->links = found.st_nlink;
    entry->mode = found.st_mode;
    return 0;
}

int clinux_inotify_is_being_written(int directory, const char *name) {
    // Opened with O_PATH, so that the checked file is the one that is opened, and never a device or a FIFO.
    int held = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (held < 0) return -errno;
    struct stat found;
    if (fstat(held, &found) < 0 || !S_ISREG(found.st_mode)) {
        close(held);
        return -EINVAL;
    }
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", held);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int error = errno;
    close(held);
    // Another process holds a write lease.
    if (fd < 0) return error == EWOULDBLOCK ? 1 : -error;
    int result = 0;
    // The kernel notifies the holder of a lease when another process opens the file, by default with SIGIO, which ends
    // the process. SIGURG is ignored by default.
    if (fcntl(fd, F_SETSIG, SIGURG) < 0) {
        result = -errno;
    } else if (fcntl(fd, F_SETLEASE, F_RDLCK) < 0) {
        result = errno == EAGAIN ? 1 : -errno;
    } else {
        (void)fcntl(fd, F_SETLEASE, F_UNLCK);
    }
    close(fd);
    return result;
}

int clinux_inotify_rewind(int directory) {
    return lseek(directory, 0, SEEK_SET) < 0 ? -errno : 0;
}
