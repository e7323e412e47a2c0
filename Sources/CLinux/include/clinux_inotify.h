// What following a directory needs: inotify watches of open directories, looks at entries without following links, and
// whether anybody has a file open for writing.

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

/// Opens a queue of events that never waits. A descriptor, or a negative errno.
int clinux_inotify_open(void);
/// Watches an open directory, through /proc/self/fd. A watch number, or a negative errno.
int clinux_inotify_watch(int queue, int directory, uint32_t events);
/// Ends a watch; the queue gets an IN_IGNORED for it. 0, or a negative errno.
int clinux_inotify_remove(int queue, int watch);
/// Reads whole events. The number of bytes, or a negative errno; -EAGAIN where there is none.
long clinux_inotify_read(int queue, void *buffer, size_t size);
/// Opens a directory by a path, which may hold links. A descriptor, or a negative errno.
int clinux_inotify_open_base(const char *path);
/// Opens a directory in a directory, never a link. A descriptor, or a negative errno.
int clinux_inotify_open_directory(int directory, const char *name);
/// Looks at a name in a directory without following a link; an empty name is the directory. 0, or a negative errno.
int clinux_inotify_look(int directory, const char *name, struct clinux_inotify_entry *entry);
/// Asks whether anybody has a regular file open for writing: 1, 0, or a negative errno where that cannot be told.
int clinux_inotify_is_being_written(int directory, const char *name);
/// Lets the next listing of an open directory begin anew. 0, or a negative errno.
int clinux_inotify_rewind(int directory);

#endif
