// Landlock: what a process and all its children may write. See the kernel's Documentation/userspace-api/landlock.rst.

#ifndef CLINUX_LANDLOCK_H
#define CLINUX_LANDLOCK_H

#include <stdint.h>

/// The version of the kernel's Landlock interface, or -ENOSYS or -EOPNOTSUPP where there is none.
int clinux_landlock_abi(void);

/// Makes a set of rules that refuses `handled` wherever no rule grants it. A descriptor other than 0, 1 and 2.
int clinux_landlock_ruleset(uint64_t handled);

/// Opens a place for naming it in a rule, links followed.
int clinux_landlock_place(const char *path);

/// Grants rights below a directory, or, where `place` is no directory, those that a file can have.
int clinux_landlock_allow(int ruleset, int place, uint64_t below_directory, uint64_t on_file);

/// Binds the calling thread, and all that it starts, to the rules. Only a system call, so it may run between fork and
/// exec; returns -1 and sets errno.
int clinux_landlock_restrict(int ruleset);

#endif
