// The parts of SQLite that Swift cannot import: variadic calls, macros that are casts, and the counting file layer.

#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

#include "counting_vfs.h"

/// Configures SQLite, before its first use, to keep no allocation statistics and few look-aside slots.
static inline int csqlite_configure(void) {
    int result = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    if (result != SQLITE_OK) return result;
    return sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 128, 40);
}

/// Sets one boolean option of a connection.
static inline int csqlite_set_option(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}

/// Keeps the write-ahead log's file when the connection closes.
static inline int csqlite_persist_wal(sqlite3 *connection) {
    int on = 1;
    return sqlite3_file_control(connection, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
}

/// Grows the write-ahead log's file with zeros to `size` bytes and flushes it; does nothing if the log is that large.
static inline int csqlite_grow_wal(sqlite3 *connection, sqlite3_int64 size) {
    sqlite3_file *file = 0;
    int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (result != SQLITE_OK) return result;
    if (!file || !file->pMethods) return SQLITE_ERROR;
    sqlite3_int64 have = 0;
    result = file->pMethods->xFileSize(file, &have);
    if (result != SQLITE_OK || have >= size) return result;
    char zeros[4096];
    __builtin_memset(zeros, 0, sizeof zeros);
    while (have < size) {
        sqlite3_int64 slice = size - have;
        if (slice > (sqlite3_int64)sizeof zeros) slice = (sqlite3_int64)sizeof zeros;
        result = file->pMethods->xWrite(file, zeros, (int)slice, have);
        if (result != SQLITE_OK) return result;
        have += slice;
    }
    return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

/// Binds text that SQLite copies.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text ? text : "", count, SQLITE_TRANSIENT);
}

/// Binds bytes that SQLite copies.
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                      : sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

#endif
