// Landlock restricts the files that a process and its descendants can write. See the kernel's
// Documentation/userspace-api/landlock.rst.

#ifndef CLINUX_LANDLOCK_H
#define CLINUX_LANDLOCK_H

#include <stdint.h>

/// Returns the version of the kernel's Landlock ABI, or -ENOSYS or -EOPNOTSUPP if there is no Landlock.
int clinux_landlock_abi(void);

/// Makes a ruleset that refuses the rights `handled` unless a rule grants them. Returns a descriptor above 2.
int clinux_landlock_ruleset(uint64_t handled);

/// Opens a place for use in a rule (`O_PATH`); links are followed.
int clinux_landlock_place(const char *path);

/// Grants rights below a directory, or, if `place` is not a directory, those that apply to a file.
int clinux_landlock_allow(int ruleset, int place, uint64_t below_directory, uint64_t on_file);

/// Restricts the calling thread, and all its descendants, to the rules. It is only a system call, so it may run between
/// fork and exec; returns -1 and sets errno.
int clinux_landlock_restrict(int ruleset);

#endif
