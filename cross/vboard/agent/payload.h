// The strings in the payload of a frame.

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Reads a NUL-terminated string and advances past it; NULL if no NUL follows before `end`.
static inline char *string(uint8_t **at, uint8_t *end) {
    uint8_t *nul = memchr(*at, 0, (size_t)(end - *at));
    if (!nul) return NULL;
    char *result = (char *)*at;
    *at = nul + 1;
    return result;
}
