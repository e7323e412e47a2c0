// A file descriptor in a variable that is -1 while there is none.

#pragma once

#include <unistd.h>

// Closes a descriptor, if it is open, and sets it to -1.
static inline void shut(int *file) {
    if (*file >= 0) close(*file);
    *file = -1;
}
