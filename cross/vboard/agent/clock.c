#include "clock.h"
#include "descriptor.h"
#include "frames.h"
#include "log.h"
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

void set_clock(uint32_t id, uint8_t *payload, uint32_t length) {
    int64_t nanoseconds;
    if (length < 8) return send_exit(id, FAILED, EINVAL);
    memcpy(&nanoseconds, payload, 8);
    struct timespec now = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    int error = clock_settime(CLOCK_REALTIME, &now) ? errno : 0;
    struct {
        int entropy, size;
        uint8_t bytes[64];
    } seed = {.entropy = 256, .size = sizeof seed.bytes};
    int random = open("/dev/urandom", O_RDWR | O_CLOEXEC);
    if (random >= 0 && length >= 8 + sizeof seed.bytes) {
        memcpy(seed.bytes, payload + 8, sizeof seed.bytes);
        if (ioctl(random, RNDADDENTROPY, &seed) || ioctl(random, RNDRESEEDCRNG)) note("random seed: %s", strerror(errno));
    }
    shut(&random);
    send_exit(id, error ? FAILED : EXITED, error);
}
