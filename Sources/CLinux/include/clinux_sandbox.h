// System calls of the file facade. Negative results are negated errno values.

#ifndef CLINUX_SANDBOX_H
#define CLINUX_SANDBOX_H

#include <stddef.h>
#include <stdint.h>

/// The purpose of opening a file.
enum {
    /// For reading its attributes only (`O_PATH`): a device or a FIFO is not opened.
    CLINUX_SANDBOX_LOOK = 0,
    /// A directory, to pass through it (`O_PATH`).
    CLINUX_SANDBOX_PASS = 1,
    /// A directory, to list and flush it.
    CLINUX_SANDBOX_LIST = 2,
    /// For reading; does not wait for a FIFO's writer.
    CLINUX_SANDBOX_READ = 3,
    /// For reading and appending.
    CLINUX_SANDBOX_APPEND = 4,
};

/// The file type, from `st_mode`.
enum {
    CLINUX_SANDBOX_REGULAR = 0,
    CLINUX_SANDBOX_DIRECTORY = 1,
    CLINUX_SANDBOX_LINK = 2,
    CLINUX_SANDBOX_FIFO = 3,
    CLINUX_SANDBOX_SOCKET = 4,
    CLINUX_SANDBOX_CHARACTER = 5,
    CLINUX_SANDBOX_BLOCK = 6,
    CLINUX_SANDBOX_OTHER = 7,
};

struct clinux_sandbox_status {
    uint64_t device, inode, links;
    int64_t size;
    int64_t modified_seconds, changed_seconds;
    uint32_t modified_nanoseconds, changed_nanoseconds;
    uint32_t kind, permissions, user, group;
};

struct clinux_sandbox_space {
    uint64_t total, available;
    uint64_t files_total, files_available;
    int read_only;
};

/// Opens a path beneath a directory without following links or crossing into other mounts (`openat2`).
int clinux_sandbox_open_beneath(int directory, const char *path, int purpose);
/// Opens a name in a directory without following a link (`openat`).
int clinux_sandbox_open_name(int directory, const char *name, int purpose);
/// Opens the directory of the process's own descriptors (/proc/self/fd).
int clinux_sandbox_own_descriptors(void);
/// Opens a file again that was opened with `O_PATH`; `descriptors` is that directory, -ENOENT without it.
int clinux_sandbox_reopen(int descriptors, int fd, int purpose);
/// Sets the permissions of a file that was opened with `O_PATH`; -EOPNOTSUPP without that directory.
int clinux_sandbox_change_mode(int descriptors, int fd, uint32_t mode);

int clinux_sandbox_status(int fd, struct clinux_sandbox_status *into);
int clinux_sandbox_status_at(int directory, const char *name, struct clinux_sandbox_status *into);
int clinux_sandbox_truncate(int fd, int64_t size);
int clinux_sandbox_lock(int fd);
int clinux_sandbox_rename(int from_directory, const char *from, int to_directory, const char *to, int exclusive);
int clinux_sandbox_make_directory(int directory, const char *name, uint32_t permissions);
int clinux_sandbox_remove_directory(int directory, const char *name);
/// Returns 0 if this process may read the file, or write it if `writing` is 1.
int clinux_sandbox_may(int directory, const char *name, int writing);
/// Makes one file share the blocks of another (FICLONE).
int clinux_sandbox_clone(int from, int to);
/// Copies within the kernel from an offset of one file to the file offset of another; returns the number of bytes.
long clinux_sandbox_copy(int from, int64_t offset, int to, size_t count);
/// Starts to list the names in a directory; the listing ends with clinux_sandbox_list_close().
struct clinux_sandbox_listing;
int clinux_sandbox_list_open(int directory, struct clinux_sandbox_listing **listing);
/// Sets `name`, which is valid until the next call, to the next name except `.` and `..`, and returns 1; 0 after the
/// last.
int clinux_sandbox_list_next(struct clinux_sandbox_listing *listing, const char **name);
void clinux_sandbox_list_close(struct clinux_sandbox_listing *listing);
int clinux_sandbox_space(int fd, struct clinux_sandbox_space *into);
/// Returns 1 if the kernel alone changes the files of a file system, so that their times are never old; 0 for one of the
/// network or of another program, and if it cannot be found out. fstatfs(2)
int clinux_sandbox_is_local(int fd);

#endif
