#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "clinux_sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// The numbers are the same on every architecture; the headers of older libraries lack them.
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define CLINUX_SANDBOX_FICLONE _IOW(0x94, 9, int)

static int clinux_sandbox_result(long value) { return value < 0 ? -errno : (int)value; }

static int clinux_sandbox_flags(int purpose) {
    switch (purpose) {
    case CLINUX_SANDBOX_PASS: return O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    case CLINUX_SANDBOX_LIST: return O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    case CLINUX_SANDBOX_READ: return O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    case CLINUX_SANDBOX_APPEND: return O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    default: return O_PATH | O_NOFOLLOW | O_CLOEXEC;
    }
}

int clinux_sandbox_open_beneath(int directory, const char *path, int purpose) {
    // The resolution refuses links; with O_NOFOLLOW and O_DIRECTORY a link at the end would be reported as ENOTDIR.
    int flags = clinux_sandbox_flags(purpose) & ~(purpose == CLINUX_SANDBOX_LOOK ? 0 : O_NOFOLLOW);
    struct open_how how = {
        .flags = (uint64_t)flags,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
    };
    return clinux_sandbox_result(syscall(SYS_openat2, directory, path, &how, sizeof how));
}

int clinux_sandbox_open_name(int directory, const char *name, int purpose) {
    return clinux_sandbox_result(openat(directory, name, clinux_sandbox_flags(purpose)));
}

int clinux_sandbox_own_descriptors(void) {
    return clinux_sandbox_result(open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

int clinux_sandbox_reopen(int descriptors, int fd, int purpose) {
    // Without /proc, a negative number could be taken for the working directory (AT_FDCWD).
    if (descriptors < 0) return -ENOENT;
    char name[16];
    snprintf(name, sizeof name, "%d", fd);
    // The opened name is one of the kernel's magic links, which refers to the descriptor.
    return clinux_sandbox_result(openat(descriptors, name, clinux_sandbox_flags(purpose) & ~O_NOFOLLOW));
}

int clinux_sandbox_change_mode(int descriptors, int fd, uint32_t mode) {
    if (descriptors < 0) return -EOPNOTSUPP;
    char name[16];
    snprintf(name, sizeof name, "%d", fd);
    return clinux_sandbox_result(fchmodat(descriptors, name, (mode_t)mode, 0));
}

static uint32_t clinux_sandbox_kind(mode_t mode) {
    if (S_ISREG(mode)) return CLINUX_SANDBOX_REGULAR;
    if (S_ISDIR(mode)) return CLINUX_SANDBOX_DIRECTORY;
    if (S_ISLNK(mode)) return CLINUX_SANDBOX_LINK;
    if (S_ISFIFO(mode)) return CLINUX_SANDBOX_FIFO;
    if (S_ISSOCK(mode)) return CLINUX_SANDBOX_SOCKET;
    if (S_ISCHR(mode)) return CLINUX_SANDBOX_CHARACTER;
    if (S_ISBLK(mode)) return CLINUX_SANDBOX_BLOCK;
    return CLINUX_SANDBOX_OTHER;
}

static int clinux_sandbox_convert(int result, const struct stat *from, struct clinux_sandbox_status *into) {
    if (result < 0) return -errno;
    into->device = (uint64_t)from->st_dev;
    into->inode = (uint64_t)from->st_ino;
    into->links = (uint64_t)from->st_nlink;
    into->size = (int64_t)from->st_size;
    into->modified_seconds = (int64_t)from->st_mtim.tv_sec;
    into->modified_nanoseconds = (uint32_t)from->st_mtim.tv_nsec;
    into->changed_seconds = (int64_t)from->st_ctim.tv_sec;
    into->changed_nanoseconds = (uint32_t)from->st_ctim.tv_nsec;
    into->kind = clinux_sandbox_kind(from->st_mode);
    into->permissions = (uint32_t)from->st_mode & 07777;
    into->user = from->st_uid;
    into->group = from->st_gid;
    return 0;
}

int clinux_sandbox_status(int fd, struct clinux_sandbox_status *into) {
    struct stat status;
    return clinux_sandbox_convert(fstat(fd, &status), &status, into);
}

int clinux_sandbox_status_at(int directory, const char *name, struct clinux_sandbox_status *into) {
    struct stat status;
    int result = fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT);
    return clinux_sandbox_convert(result, &status, into);
}

int clinux_sandbox_truncate(int fd, int64_t size) { return clinux_sandbox_result(ftruncate(fd, (off_t)size)); }

int clinux_sandbox_lock(int fd) { return clinux_sandbox_result(flock(fd, LOCK_EX | LOCK_NB)); }

int clinux_sandbox_rename(int from_directory, const char *from, int to_directory, const char *to, int exclusive) {
    if (!exclusive) return clinux_sandbox_result(renameat(from_directory, from, to_directory, to));
    unsigned flags = 1; // RENAME_NOREPLACE
    if (syscall(SYS_renameat2, from_directory, from, to_directory, to, flags) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -errno;
    // On file systems without the flag, the target is checked first.
    struct stat status;
    if (fstatat(to_directory, to, &status, AT_SYMLINK_NOFOLLOW) == 0) return -EEXIST;
    if (errno != ENOENT) return -errno;
    return clinux_sandbox_result(renameat(from_directory, from, to_directory, to));
}

int clinux_sandbox_make_directory(int directory, const char *name, uint32_t permissions) {
    return clinux_sandbox_result(mkdirat(directory, name, (mode_t)permissions));
}

int clinux_sandbox_remove_directory(int directory, const char *name) {
    return clinux_sandbox_result(unlinkat(directory, name, AT_REMOVEDIR));
}

int clinux_sandbox_may(int directory, const char *name, int writing) {
    int mode = writing ? W_OK : R_OK;
    // faccessat2 checks the effective user and follows no link; if it is missing, the C library's check is used.
    long result = syscall(439, directory, name, mode, AT_EACCESS | AT_SYMLINK_NOFOLLOW);
    if (result < 0 && errno == ENOSYS) result = faccessat(directory, name, mode, AT_EACCESS);
    return clinux_sandbox_result(result);
}

int clinux_sandbox_clone(int from, int to) { return clinux_sandbox_result(ioctl(to, CLINUX_SANDBOX_FICLONE, from)); }

long clinux_sandbox_copy(int from, int64_t offset, int to, size_t count) {
    loff_t place = (loff_t)offset;
    ssize_t copied = copy_file_range(from, &place, to, NULL, count, 0);
    return copied < 0 ? -errno : (long)copied;
}

int clinux_sandbox_list_open(int directory, struct clinux_sandbox_listing **listing) {
    // A descriptor of its own: a duplicate would share its position in the directory with other listings.
    int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return -errno;
    DIR *stream = fdopendir(fd);
    if (!stream) {
        int error = errno;
        close(fd);
        return -error;
    }
    *listing = (struct clinux_sandbox_listing *)stream;
    return 0;
}

int clinux_sandbox_list_next(struct clinux_sandbox_listing *listing, const char **name) {
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir((DIR *)listing);
        if (!entry) return -errno;
        const char *found = entry->d_name;
        if (found[0] == '.' && (!found[1] || (found[1] == '.' && !found[2]))) continue;
        *name = found;
        return 1;
    }
}

void clinux_sandbox_list_close(struct clinux_sandbox_listing *listing) { closedir((DIR *)listing); }

int clinux_sandbox_space(int fd, struct clinux_sandbox_space *into) {
    struct statvfs status;
    if (fstatvfs(fd, &status) < 0) return -errno;
    uint64_t unit = status.f_frsize, limit = INT64_MAX;
    into->total = unit && status.f_blocks > limit / unit ? limit : status.f_blocks * unit;
    into->available = unit && status.f_bavail > limit / unit ? limit : status.f_bavail * unit;
    into->files_total = status.f_files;
    into->files_available = status.f_favail;
    into->read_only = (status.f_flag & ST_RDONLY) != 0;
    return 0;
}

int clinux_sandbox_is_local(int fd) {
    struct statfs system;
    if (fstatfs(fd, &system) < 0) return 0;
    switch ((unsigned int)system.f_type) {
    case 0x6969:      // nfs
    case 0x517b:      // smb
    case 0xff534d42u: // cifs
    case 0xfe534d42u: // smb3
    case 0x01021997:  // 9p
    case 0x00c36400:  // ceph
    case 0x5346414f:  // afs
    case 0x73757245:  // coda
    case 0x65735546:  // fuse
        return 0;
    default: return 1;
    }
}
