#include "port.h"
#include "descriptor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define PORT_NAME "cleat.agent"

int open_port(void) {
    DIR *ports = opendir("/sys/class/virtio-ports");
    struct dirent *entry;
    char path[300], name[64];
    int result = -1;
    errno = ENOENT;
    while (ports && result < 0 && (entry = readdir(ports))) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/sys/class/virtio-ports/%s/name", entry->d_name);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t count = file >= 0 ? read(file, name, sizeof name - 1) : -1;
        shut(&file);
        if (count <= 0 || (name[count] = 0, strncmp(name, PORT_NAME "\n", sizeof PORT_NAME) != 0)) continue;
        snprintf(path, sizeof path, "/dev/%s", entry->d_name);
        result = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    }
    if (ports) closedir(ports);
    return result;
}
