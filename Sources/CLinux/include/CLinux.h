// Shims for parts of the kernel's interface that Swift cannot import: macros, variadic calls, and structures that
// depend on feature test macros. There is one header per area; a function that fails returns the negated errno.
//
// No header here may define _GNU_SOURCE: glibc's types would differ from those that Swift imports. Code that needs it
// is in a source file next to the header's declarations.

#ifndef CLINUX_H
#define CLINUX_H

#include "clinux_adapters.h"
#include "clinux_cli.h"
#include "clinux_fatal.h"
#include "clinux_hash.h"
#include "clinux_hooks.h"
#include "clinux_inotify.h"
#include "clinux_io.h"
#include "clinux_landlock.h"
#include "clinux_managed.h"
#include "clinux_memory.h"
#include "clinux_reach.h"
#include "clinux_serial.h"
#include "clinux_route.h"
#include "clinux_spawn.h"
#include "clinux_sandbox.h"
#include "clinux_store.h"
#include "clinux_varlink.h"

#include "clinux_netlink.h"
#include "clinux_sysfs.h"

#endif
