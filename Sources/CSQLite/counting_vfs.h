// A layer over SQLite's own file layer (VFS): counts written bytes and flushes, remembers failed reads, reads ahead while
// a store is opened, gathers the writes of a log, and calls a hook before each operation, so that tests can make any of
// them fail. It offers no shared memory: a store is never opened in a way that would put a `-shm` file on flash.

#ifndef CSQLITE_COUNTING_VFS_H
#define CSQLITE_COUNTING_VFS_H

#include <sqlite3.h>
#include <stddef.h>

enum {
    CSQLITE_OPEN = 0,
    CSQLITE_READ = 1,
    CSQLITE_WRITE = 2,
    CSQLITE_SYNC = 3,
    CSQLITE_TRUNCATE = 4,
    CSQLITE_DELETE = 5
};

/// A function that is called before an operation: returns SQLITE_OK, or the code to fail with; of a write that fails,
/// the first `*allowed` bytes are still written.
typedef int (*csqlite_hook)(
    void *context, int operation, const char *name, const void *bytes, int count, sqlite3_int64 offset, int *allowed);

/// Parts of files that were read before SQLite asks for their pages: a start reads most pages of a store, in an order
/// that stays near to one place in each of its tables.
typedef struct csqlite_ahead {
    struct {
        sqlite3_file *file;
        sqlite3_int64 start;
        int count;
    } parts[16];
    unsigned char bytes[16][16384];
} csqlite_ahead;

typedef struct csqlite_vfs {
    sqlite3_vfs base;
    sqlite3_vfs *real;
    csqlite_hook hook;
    void *context;
    sqlite3_int64 bytes_written;
    sqlite3_int64 writes;
    sqlite3_int64 syncs;
    sqlite3_int64 failed_reads;
    int last_failed_read;
    /// The parts read ahead; NULL unless it is turned on.
    csqlite_ahead *ahead;
    char name[40];
} csqlite_vfs;

/// Writes that follow each other in the write-ahead log: SQLite writes the head of each frame and its page by
/// themselves, and flushes them together.
typedef struct csqlite_gathered {
    sqlite3_int64 offset;
    int count;
    unsigned char bytes[16384];
} csqlite_gathered;

typedef struct csqlite_file {
    sqlite3_file base;
    csqlite_vfs *vfs;
    const char *name;
    sqlite3_file *real;
    /// The writes that are still to be made; NULL for any file but a log.
    csqlite_gathered *gathered;
} csqlite_file;

static inline int csqlite_ask(
    csqlite_vfs *vfs, int operation, const char *name, const void *bytes, int count, sqlite3_int64 offset, int *allowed) {
    if (!vfs->hook) return SQLITE_OK;
    return vfs->hook(vfs->context, operation, name ? name : "", bytes, count, offset, allowed);
}

/// Forgets what was read ahead.
static inline void csqlite_forget_ahead(csqlite_vfs *vfs) {
    if (vfs->ahead) __builtin_memset(vfs->ahead->parts, 0, sizeof vfs->ahead->parts);
}

/// Copies bytes that were read ahead, after reading their part of the file if need be. Returns 0 if they cannot be had
/// this way: they are at the end of the file or in two parts, or their part cannot be read as a whole.
static inline int csqlite_read_ahead(csqlite_ahead *ahead, sqlite3_file *real, void *bytes, int count, sqlite3_int64 offset) {
    enum { size = sizeof ahead->bytes[0], parts = sizeof ahead->parts / sizeof ahead->parts[0] };
    int inside = (int)(offset % size), part = (int)(offset / size % parts);
    if (count > size - inside) return 0;
    if (ahead->parts[part].file != real || ahead->parts[part].start != offset - inside) {
        sqlite3_int64 rest = 0;
        ahead->parts[part].file = 0;
        if (real->pMethods->xFileSize(real, &rest) != SQLITE_OK) return 0;
        rest -= offset - inside;
        if (rest < inside + count) return 0;
        if (rest > size) rest = size;
        if (real->pMethods->xRead(real, ahead->bytes[part], (int)rest, offset - inside) != SQLITE_OK) return 0;
        ahead->parts[part].file = real;
        ahead->parts[part].start = offset - inside;
        ahead->parts[part].count = (int)rest;
    }
    if (inside + count > ahead->parts[part].count) return 0;
    __builtin_memcpy(bytes, ahead->bytes[part] + inside, (size_t)count);
    return 1;
}

/// Makes the writes that were gathered. After a failure they are gone, as those of a file without gathering.
static inline int csqlite_write_gathered(csqlite_file *file) {
    csqlite_gathered *gathered = file->gathered;
    if (!gathered || gathered->count == 0) return SQLITE_OK;
    int count = gathered->count;
    gathered->count = 0;
    return file->real->pMethods->xWrite(file->real, gathered->bytes, count, gathered->offset);
}

/// Writes bytes of a log, together with those that follow them, at the latest before the file is flushed or read.
static inline int csqlite_gather(csqlite_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    csqlite_gathered *gathered = file->gathered;
    if (gathered->count > 0 && (offset != gathered->offset + gathered->count ||
                                count > (int)sizeof gathered->bytes - gathered->count)) {
        int result = csqlite_write_gathered(file);
        if (result != SQLITE_OK) return result;
    }
    if (count > (int)sizeof gathered->bytes) return file->real->pMethods->xWrite(file->real, bytes, count, offset);
    if (gathered->count == 0) gathered->offset = offset;
    __builtin_memcpy(gathered->bytes + gathered->count, bytes, (size_t)count);
    gathered->count += count;
    return SQLITE_OK;
}

static inline int csqlite_x_close(sqlite3_file *f) {
    csqlite_file *file = (csqlite_file *)f;
    csqlite_forget_ahead(file->vfs);
    int result = SQLITE_OK;
    if (file->real->pMethods) {
        int written = csqlite_write_gathered(file);
        result = file->real->pMethods->xClose(file->real);
        if (result == SQLITE_OK) result = written;
    }
    sqlite3_free(file->gathered);
    file->gathered = 0;
    file->base.pMethods = 0;
    return result;
}

static inline int csqlite_x_read(sqlite3_file *f, void *bytes, int count, sqlite3_int64 offset) {
    csqlite_file *file = (csqlite_file *)f;
    int allowed = 0;
    int result = csqlite_write_gathered(file);
    if (result == SQLITE_OK) result = csqlite_ask(file->vfs, CSQLITE_READ, file->name, 0, count, offset, &allowed);
    if (result == SQLITE_OK && file->vfs->ahead &&
        csqlite_read_ahead(file->vfs->ahead, file->real, bytes, count, offset))
        return SQLITE_OK;
    if (result == SQLITE_OK) result = file->real->pMethods->xRead(file->real, bytes, count, offset);
    if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ) {
        file->vfs->failed_reads += 1;
        file->vfs->last_failed_read = result;
    }
    return result;
}

static inline int csqlite_x_write(sqlite3_file *f, const void *bytes, int count, sqlite3_int64 offset) {
    csqlite_file *file = (csqlite_file *)f;
    csqlite_forget_ahead(file->vfs);
    int allowed = 0;
    int result = csqlite_ask(file->vfs, CSQLITE_WRITE, file->name, bytes, count, offset, &allowed);
    if (result != SQLITE_OK) {
        (void)csqlite_write_gathered(file);
        if (allowed > 0 && allowed <= count) (void)file->real->pMethods->xWrite(file->real, bytes, allowed, offset);
        return result;
    }
    result = file->gathered ? csqlite_gather(file, bytes, count, offset)
                            : file->real->pMethods->xWrite(file->real, bytes, count, offset);
    if (result == SQLITE_OK) {
        file->vfs->writes += 1;
        file->vfs->bytes_written += count;
    }
    return result;
}

static inline int csqlite_x_truncate(sqlite3_file *f, sqlite3_int64 size) {
    csqlite_file *file = (csqlite_file *)f;
    csqlite_forget_ahead(file->vfs);
    int allowed = 0;
    int result = csqlite_ask(file->vfs, CSQLITE_TRUNCATE, file->name, 0, 0, size, &allowed);
    if (result == SQLITE_OK) result = csqlite_write_gathered(file);
    return result != SQLITE_OK ? result : file->real->pMethods->xTruncate(file->real, size);
}

static inline int csqlite_x_sync(sqlite3_file *f, int flags) {
    csqlite_file *file = (csqlite_file *)f;
    int allowed = 0;
    int result = csqlite_write_gathered(file);
    if (result == SQLITE_OK) result = csqlite_ask(file->vfs, CSQLITE_SYNC, file->name, 0, 0, 0, &allowed);
    if (result != SQLITE_OK) return result;
    file->vfs->syncs += 1;
    return file->real->pMethods->xSync(file->real, flags);
}

static inline int csqlite_x_file_size(sqlite3_file *f, sqlite3_int64 *size) {
    csqlite_file *file = (csqlite_file *)f;
    int result = csqlite_write_gathered(file);
    return result != SQLITE_OK ? result : file->real->pMethods->xFileSize(file->real, size);
}

static inline int csqlite_x_lock(sqlite3_file *f, int level) {
    csqlite_file *file = (csqlite_file *)f;
    return file->real->pMethods->xLock(file->real, level);
}

static inline int csqlite_x_unlock(sqlite3_file *f, int level) {
    csqlite_file *file = (csqlite_file *)f;
    return file->real->pMethods->xUnlock(file->real, level);
}

static inline int csqlite_x_check_lock(sqlite3_file *f, int *reserved) {
    csqlite_file *file = (csqlite_file *)f;
    return file->real->pMethods->xCheckReservedLock(file->real, reserved);
}

static inline int csqlite_x_file_control(sqlite3_file *f, int operation, void *argument) {
    csqlite_file *file = (csqlite_file *)f;
    int result = csqlite_write_gathered(file);
    return result != SQLITE_OK ? result : file->real->pMethods->xFileControl(file->real, operation, argument);
}

static inline int csqlite_x_sector_size(sqlite3_file *f) {
    csqlite_file *file = (csqlite_file *)f;
    return file->real->pMethods->xSectorSize(file->real);
}

static inline int csqlite_x_characteristics(sqlite3_file *f) {
    csqlite_file *file = (csqlite_file *)f;
    return file->real->pMethods->xDeviceCharacteristics(file->real);
}

static const sqlite3_io_methods csqlite_io_methods = {
    .iVersion = 1,
    .xClose = csqlite_x_close,
    .xRead = csqlite_x_read,
    .xWrite = csqlite_x_write,
    .xTruncate = csqlite_x_truncate,
    .xSync = csqlite_x_sync,
    .xFileSize = csqlite_x_file_size,
    .xLock = csqlite_x_lock,
    .xUnlock = csqlite_x_unlock,
    .xCheckReservedLock = csqlite_x_check_lock,
    .xFileControl = csqlite_x_file_control,
    .xSectorSize = csqlite_x_sector_size,
    .xDeviceCharacteristics = csqlite_x_characteristics,
};

static inline int csqlite_x_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out_flags) {
    csqlite_vfs *vfs = (csqlite_vfs *)v;
    csqlite_file *file = (csqlite_file *)f;
    file->base.pMethods = 0;
    file->vfs = vfs;
    file->name = name;
    file->real = (sqlite3_file *)((char *)f + sizeof(csqlite_file));
    file->gathered = 0;
    int allowed = 0;
    int result = csqlite_ask(vfs, CSQLITE_OPEN, name, 0, 0, 0, &allowed);
    if (result != SQLITE_OK) return result;
    file->real->pMethods = 0;
    result = vfs->real->xOpen(vfs->real, name, file->real, flags, out_flags);
    if (file->real->pMethods) file->base.pMethods = &csqlite_io_methods;
    // Without memory for it, the log is written as SQLite writes it.
    if (result == SQLITE_OK && (flags & SQLITE_OPEN_WAL) != 0) {
        file->gathered = (csqlite_gathered *)sqlite3_malloc((int)sizeof(csqlite_gathered));
        if (file->gathered) file->gathered->count = 0;
    }
    return result;
}

static inline int csqlite_x_delete(sqlite3_vfs *v, const char *name, int sync_directory) {
    csqlite_vfs *vfs = (csqlite_vfs *)v;
    int allowed = 0;
    int result = csqlite_ask(vfs, CSQLITE_DELETE, name, 0, 0, 0, &allowed);
    return result != SQLITE_OK ? result : vfs->real->xDelete(vfs->real, name, sync_directory);
}

static inline int csqlite_x_access(sqlite3_vfs *v, const char *name, int flags, int *out) {
    csqlite_vfs *vfs = (csqlite_vfs *)v;
    return vfs->real->xAccess(vfs->real, name, flags, out);
}

static inline int csqlite_x_full_pathname(sqlite3_vfs *v, const char *name, int count, char *out) {
    csqlite_vfs *vfs = (csqlite_vfs *)v;
    return vfs->real->xFullPathname(vfs->real, name, count, out);
}

static inline int csqlite_x_randomness(sqlite3_vfs *v, int count, char *out) {
    csqlite_vfs *vfs = (csqlite_vfs *)v;
    return vfs->real->xRandomness(vfs->real, count, out);
}

static inline int csqlite_x_sleep(sqlite3_vfs *v, int microseconds) {
    csqlite_vfs *vfs = (csqlite_vfs *)v;
    return vfs->real->xSleep(vfs->real, microseconds);
}

static inline int csqlite_x_current_time(sqlite3_vfs *v, double *out) {
    csqlite_vfs *vfs = (csqlite_vfs *)v;
    return vfs->real->xCurrentTime(vfs->real, out);
}

static inline int csqlite_x_last_error(sqlite3_vfs *v, int count, char *out) {
    csqlite_vfs *vfs = (csqlite_vfs *)v;
    return vfs->real->xGetLastError(vfs->real, count, out);
}

/// Creates and registers a counting layer over the default one; `hook` may be NULL. Returns NULL if memory is short, or
/// SQLite cannot register the layer.
static inline csqlite_vfs *csqlite_vfs_create(csqlite_hook hook, void *context) {
    sqlite3_vfs *real = sqlite3_vfs_find(0);
    if (!real) return 0;
    csqlite_vfs *vfs = (csqlite_vfs *)sqlite3_malloc((int)sizeof(csqlite_vfs));
    if (!vfs) return 0;
    __builtin_memset(vfs, 0, sizeof *vfs);
    sqlite3_snprintf((int)sizeof vfs->name, vfs->name, "cleat-%p", (void *)vfs);
    vfs->real = real;
    vfs->hook = hook;
    vfs->context = context;
    vfs->base.iVersion = 1;
    vfs->base.szOsFile = (int)sizeof(csqlite_file) + real->szOsFile;
    vfs->base.mxPathname = real->mxPathname;
    vfs->base.zName = vfs->name;
    vfs->base.xOpen = csqlite_x_open;
    vfs->base.xDelete = csqlite_x_delete;
    vfs->base.xAccess = csqlite_x_access;
    vfs->base.xFullPathname = csqlite_x_full_pathname;
    vfs->base.xRandomness = csqlite_x_randomness;
    vfs->base.xSleep = csqlite_x_sleep;
    vfs->base.xCurrentTime = csqlite_x_current_time;
    vfs->base.xGetLastError = csqlite_x_last_error;
    if (sqlite3_vfs_register(&vfs->base, 0) != SQLITE_OK) {
        sqlite3_free(vfs);
        return 0;
    }
    return vfs;
}

/// Unregisters and frees the layer; no connection may use it any more.
static inline void csqlite_vfs_destroy(csqlite_vfs *vfs) {
    if (!vfs) return;
    sqlite3_vfs_unregister(&vfs->base);
    sqlite3_free(vfs->ahead);
    sqlite3_free(vfs);
}

/// Turns reading ahead on or off; it stays off if memory is short.
static inline void csqlite_set_ahead(csqlite_vfs *vfs, int on) {
    if (on && !vfs->ahead) {
        vfs->ahead = (csqlite_ahead *)sqlite3_malloc((int)sizeof(csqlite_ahead));
        csqlite_forget_ahead(vfs);
    } else if (!on) {
        sqlite3_free(vfs->ahead);
        vfs->ahead = 0;
    }
}

#endif
