#include "modules.h"
#include "descriptor.h"
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int load(const char *list) {
    FILE *file = fopen(list, "re");
    char line[PATH_MAX];
    int failed = 0;
    if (!file) return note("%s: %s", list, strerror(errno)), 1;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *parameters = strchr(line, ' ');
        if (parameters) *parameters++ = 0;
        if (!line[0] || line[0] == '#') continue;
        int module = open(line, O_RDONLY | O_CLOEXEC);
        if (module < 0 || (syscall(SYS_finit_module, module, parameters ? parameters : "", 0) && errno != EEXIST))
            note("%s: %s", line, strerror(errno)), failed = 1;
        shut(&module);
    }
    fclose(file);
    return failed;
}
