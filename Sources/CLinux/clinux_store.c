#define _GNU_SOURCE

#include "clinux_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clinux_store_create(int directory, const char *name) {
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return fd < 0 ? -errno : fd;
}

int clinux_store_open(int directory, const char *name, int writing) {
    int flags = (writing ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int fd = openat(directory, name, flags);
    return fd < 0 ? -errno : fd;
}

int clinux_store_open_directory(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int clinux_store_look(int directory, const char *name, uint32_t *mode, uint64_t *links, uint32_t *owner) {
    struct stat status;
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0) return -errno;
    *mode = status.st_mode;
    *links = status.st_nlink;
    *owner = status.st_uid;
    return 0;
}

int clinux_store_place(int directory, const char *path, uint32_t *owner) {
    struct stat open, named;
    if (fstat(directory, &open) < 0) return -errno;
    *owner = open.st_uid;
    return stat(path, &named) == 0 && open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

int clinux_store_make_directory(const char *path, unsigned mode) {
    return mkdir(path, (mode_t)mode) < 0 ? -errno : 0;
}

long clinux_store_write(int fd, const void *bytes, size_t count) {
    ssize_t written = write(fd, bytes, count);
    return written < 0 ? -errno : (long)written;
}

long clinux_store_read_at(int fd, void *bytes, size_t count, int64_t offset) {
    ssize_t got = pread(fd, bytes, count, (off_t)offset);
    return got < 0 ? -errno : (long)got;
}

long clinux_store_write_at(int fd, const void *bytes, size_t count, int64_t offset) {
    ssize_t written = pwrite(fd, bytes, count, (off_t)offset);
    return written < 0 ? -errno : (long)written;
}

int clinux_store_fdatasync(int fd) { return fdatasync(fd) < 0 ? -errno : 0; }

int clinux_store_fsync(int fd) { return fsync(fd) < 0 ? -errno : 0; }

/// Flushes the parent directories of a directory, as far as they can be opened, so that its path is durable even if
/// another process has made these directories.
void clinux_store_fsync_above(int directory) {
    struct stat below, status;
    if (fstat(directory, &below) < 0) return;
    int current = directory;
    for (int depth = 0; depth < 256; depth++) {
        int parent = openat(current, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (current != directory) close(current);
        if (parent < 0) return;
        current = parent;
        if (fstat(parent, &status) < 0 || (status.st_ino == below.st_ino && status.st_dev == below.st_dev)) break;
        below = status;
        (void)fsync(parent);
    }
    if (current != directory) close(current);
}

int clinux_store_fchmod(int fd, unsigned mode) { return fchmod(fd, (mode_t)mode) < 0 ? -errno : 0; }

int clinux_store_fchown(int fd, uint32_t user, uint32_t group) {
    return fchown(fd, (uid_t)user, (gid_t)group) < 0 ? -errno : 0;
}

int clinux_store_close(int fd) { return close(fd) < 0 ? -errno : 0; }

int clinux_store_rename(int directory, const char *from, const char *to) {
    return renameat(directory, from, directory, to) < 0 ? -errno : 0;
}

/// Renames a file, but never over an existing one. On file systems without the flag, the target is checked first.
int clinux_store_rename_exclusive(int directory, const char *from, const char *to) {
    if (syscall(SYS_renameat2, directory, from, directory, to, 1u /* RENAME_NOREPLACE */) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -errno;
    struct stat status;
    if (fstatat(directory, to, &status, AT_SYMLINK_NOFOLLOW) == 0) return -EEXIST;
    if (errno != ENOENT) return -errno;
    return clinux_store_rename(directory, from, to);
}

int clinux_store_unlink(int directory, const char *name) {
    return unlinkat(directory, name, 0) < 0 ? -errno : 0;
}

int clinux_store_lock(int fd) { return flock(fd, LOCK_EX | LOCK_NB) < 0 ? -errno : 0; }

void clinux_store_unlock(int fd) { (void)flock(fd, LOCK_UN); }

/// Reads the size and mode of an open file.
int clinux_store_status(int fd, int64_t *size, uint32_t *mode) {
    struct stat status;
    if (fstat(fd, &status) < 0) return -errno;
    *size = status.st_size;
    *mode = status.st_mode;
    return 0;
}

/// Returns the size of a file in a directory.
int64_t clinux_store_size(int directory, const char *name) {
    struct stat status;
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0) return -errno;
    return status.st_size;
}

int clinux_store_is_regular(uint32_t mode) { return S_ISREG((mode_t)mode) ? 1 : 0; }

/// Returns the bytes that this user may still write on the file system.
int64_t clinux_store_free_bytes(int fd) {
    struct statvfs status;
    if (fstatvfs(fd, &status) < 0) return -errno;
    uint64_t blocks = status.f_bavail, size = status.f_frsize;
    if (size != 0 && blocks > (uint64_t)INT64_MAX / size) return INT64_MAX;
    return (int64_t)(blocks * size);
}

/// Writes the current UTC time in a form that is valid in a file name, and returns its length.
int clinux_store_stamp(char *out, size_t count) {
    time_t now = time(0);
    struct tm parts;
    if (!gmtime_r(&now, &parts)) return -EOVERFLOW;
    return (int)strftime(out, count, "%Y%m%dT%H%M%SZ", &parts);
}

/// Passes the name of each entry of a directory to `each`.
int clinux_store_list(int directory, void *context, void (*each)(void *context, const char *name)) {
    int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return -errno;
    DIR *stream = fdopendir(fd);
    if (!stream) {
        int error = errno;
        close(fd);
        return -error;
    }
    struct dirent *entry;
    errno = 0;
    while ((entry = readdir(stream)) != 0) {
        each(context, entry->d_name);
        errno = 0;
    }
    int error = errno;
    closedir(stream);
    return error ? -error : 0;
}
