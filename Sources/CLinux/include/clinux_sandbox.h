// System calls of the file facade. Results below zero are negated error numbers.

#ifndef CLINUX_SANDBOX_H
#define CLINUX_SANDBOX_H

#include <stddef.h>
#include <stdint.h>

/// What a file is opened for.
enum {
    /// To be looked at only: nothing is told to what is there, be it a device or a FIFO.
    CLINUX_SANDBOX_LOOK = 0,
    /// A directory, to pass through it.
    CLINUX_SANDBOX_PASS = 1,
    /// A directory, to list and flush it.
    CLINUX_SANDBOX_LIST = 2,
    /// For reading; never waits for a FIFO's other end.
    CLINUX_SANDBOX_READ = 3,
    /// For reading and for writing at the end.
    CLINUX_SANDBOX_APPEND = 4,
};

/// What `st_mode` says a file is.
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

/// Opens a path beneath a directory through no link and onto no other mount (`openat2`).
int clinux_sandbox_open_beneath(int directory, const char *path, int purpose);
/// Opens one name of a directory without following a link (`openat`).
int clinux_sandbox_open_name(int directory, const char *name, int purpose);
/// Opens the directory in which the process's own descriptors are links (/proc/self/fd).
int clinux_sandbox_own_descriptors(void);
/// Opens for reading or writing what was opened to be looked at; `descriptors` is that directory, -ENOENT without it.
int clinux_sandbox_reopen(int descriptors, int fd, int purpose);

int clinux_sandbox_status(int fd, struct clinux_sandbox_status *into);
int clinux_sandbox_status_at(int directory, const char *name, struct clinux_sandbox_status *into);
int clinux_sandbox_truncate(int fd, int64_t size);
int clinux_sandbox_lock(int fd);
int clinux_sandbox_rename(int from_directory, const char *from, int to_directory, const char *to, int exclusive);
int clinux_sandbox_make_directory(int directory, const char *name, uint32_t permissions);
int clinux_sandbox_remove_directory(int directory, const char *name);
/// 0 where this process may do so with the file; `writing` asks for writing in the place of reading.
int clinux_sandbox_may(int directory, const char *name, int writing);
/// Shares the blocks of one file with another (FICLONE).
int clinux_sandbox_clone(int from, int to);
/// Copies in the kernel from one place of reading to one of writing; returns how many bytes.
long clinux_sandbox_copy(int from, int64_t offset, int to, size_t count);
/// Begins to list the names of a directory; ends with clinux_sandbox_list_close().
struct clinux_sandbox_listing;
int clinux_sandbox_list_open(int directory, struct clinux_sandbox_listing **listing);
/// Sets `name`, which holds until the next call, to the next name but `.` and `..`, and returns 1; 0 after the last.
int clinux_sandbox_list_next(struct clinux_sandbox_listing *listing, const char **name);
void clinux_sandbox_list_close(struct clinux_sandbox_listing *listing);
int clinux_sandbox_space(int fd, struct clinux_sandbox_space *into);

#endif
