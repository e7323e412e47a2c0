// Shims for parts of the kernel's interface that Swift cannot import: macros, variadic calls, and structures behind
// feature tests.

#ifndef CLINUX_H
#define CLINUX_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#endif
