#include "log.h"

#include <stdarg.h>
#include <stdio.h>

void note(const char *format, ...) {
    char line[512];
    va_list list;
    va_start(list, format);
    int count = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (count > (int)sizeof line - 1) count = sizeof line - 1;
    dprintf(2, "vboard-agent: %.*s\n", count, line);
}
