#ifndef CLINUX_SERIAL_H
#define CLINUX_SERIAL_H

#include <stdint.h>

/// Returns the speed at an index in bits per second; 0 after the last one.
int32_t clinux_serial_speed(int index);

/// Opens a serial device for reading, raw, at a speed in bits per second; returns the descriptor, or -errno: ENOTTY for
/// what is no serial device, EINVAL for a speed that is not possible. termios(3)
int clinux_serial_open(const char *path, int32_t bits);

#endif
