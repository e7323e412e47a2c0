#define _GNU_SOURCE
#include "clinux_serial.h"

#include <errno.h>
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

static const struct {
    int32_t bits;
    speed_t speed;
} clinux_speeds[] = {
    {1200, B1200}, {2400, B2400}, {4800, B4800}, {9600, B9600}, {19200, B19200}, {38400, B38400},
    {57600, B57600}, {115200, B115200}, {230400, B230400}, {460800, B460800}, {921600, B921600},
};

int32_t clinux_serial_speed(int index) {
    if (index < 0 || (size_t)index >= sizeof clinux_speeds / sizeof *clinux_speeds) return 0;
    return clinux_speeds[index].bits;
}

int clinux_serial_open(const char *path, int32_t bits) {
    int index = 0;
    while (clinux_serial_speed(index) != bits) {
        if (!clinux_serial_speed(index)) return -EINVAL;
        index++;
    }
    int fd;
    do { fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); } while (fd < 0 && errno == EINTR);
    if (fd < 0) return -errno;
    struct termios line;
    if (tcgetattr(fd, &line) == 0) {
        cfmakeraw(&line);
        line.c_cflag |= CLOCAL | CREAD;
        cfsetispeed(&line, clinux_speeds[index].speed);
        cfsetospeed(&line, clinux_speeds[index].speed);
        if (tcsetattr(fd, TCSANOW, &line) == 0) return fd;
    }
    int error = errno;
    close(fd);
    return -error;
}
