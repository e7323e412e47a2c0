// System calls for watching directories: inotify watches of open directories, the status of entries without following
// links, and a check for files that are open for writing.

#ifndef CLINUX_INOTIFY_H
#define CLINUX_INOTIFY_H

#include <stddef.h>
#include <stdint.h>

struct clinux_inotify_entry {
    uint64_t device;
    uint64_t inode;
    int64_t size;
    int64_t modified_seconds;
    int64_t modified_nanoseconds;
    uint64_t links;
    uint32_t mode;
};

/// Opens a non-blocking event queue. Returns a descriptor, or the negated errno.
int clinux_inotify_open(void);
/// Watches an open directory, through /proc/self/fd. Returns a watch number, or the negated errno.
int clinux_inotify_watch(int queue, int directory, uint32_t events);
/// Removes a watch; the queue gets an IN_IGNORED for it. Returns 0, or the negated errno.
int clinux_inotify_remove(int queue, int watch);
/// Reads whole events. Returns the number of bytes, or the negated errno; -EAGAIN if there is none.
long clinux_inotify_read(int queue, void *buffer, size_t size);
/// Opens a directory by a path, which may contain links. Returns a descriptor, or the negated errno.
int clinux_inotify_open_base(const char *path);
/// Opens a directory in a directory, never a link. Returns a descriptor, or the negated errno.
int clinux_inotify_open_directory(int directory, const char *name);
/// Reads the status of a name in a directory without following a link; an empty name is the directory itself. Returns
/// 0, or the negated errno.
int clinux_inotify_look(int directory, const char *name, struct clinux_inotify_entry *entry);
/// Returns 1 if a process has a regular file open for writing, 0 if not, or the negated errno if that cannot be
/// determined.
int clinux_inotify_is_being_written(int directory, const char *name);
/// Makes the next listing of an open directory start from its beginning. Returns 0, or the negated errno.
int clinux_inotify_rewind(int directory);

#endif
