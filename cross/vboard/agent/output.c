#include "output.h"
#include "frames.h"
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define OUT_CAPACITY (512u * 1024u)

// A ring, so that a host that does not read blocks nothing else.
static uint8_t out_buffer[OUT_CAPACITY];
static uint32_t out_start, out_length;

uint32_t output_space(void) { return OUT_CAPACITY - out_length; }

static void append(const void *bytes, uint32_t count) {
    const uint8_t *from = bytes;
    while (count > 0) {
        uint32_t at = (out_start + out_length) % OUT_CAPACITY;
        uint32_t part = OUT_CAPACITY - at < count ? OUT_CAPACITY - at : count;
        memcpy(out_buffer + at, from, part);
        out_length += part, from += part, count -= part;
    }
}

// Every caller leaves CONTROL_RESERVE free before it sends data, so a control frame always fits.
void send_frame(uint32_t type, uint32_t id, const void *payload, uint32_t length) {
    struct header header = {MAGIC, length, type, id};
    if (output_space() < sizeof header + length) {
        note("no space for a frame of type %u", type);
        _exit(1);
    }
    append(&header, sizeof header);
    append(payload, length);
}

void send_exit(uint32_t id, int32_t how, int32_t value) {
    int32_t payload[2] = {how, value};
    send_frame(R_EXIT, id, payload, sizeof payload);
}

void send_hello(const uint8_t nonce[8]) {
    struct {
        uint32_t version, pid;
        uint8_t nonce[8];
        char boot[36];
    } hello = {.version = VERSION, .pid = (uint32_t)getpid()};
    memcpy(hello.nonce, nonce, 8);
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        if (read(file, hello.boot, sizeof hello.boot) < 0) memset(hello.boot, '?', sizeof hello.boot);
        close(file);
    }
    send_frame(R_HELLO, 0, &hello, sizeof hello);
}

bool output_pending(void) { return out_length > 0; }

void clear_output(void) { out_length = 0; }

bool flush_output(int port) {
    while (out_length > 0) {
        uint32_t part = OUT_CAPACITY - out_start < out_length ? OUT_CAPACITY - out_start : out_length;
        if (part > CHUNK) part = CHUNK;
        ssize_t count = write(port, out_buffer + out_start, part);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return true;
        if (count <= 0) return false;
        out_start = (out_start + (uint32_t)count) % OUT_CAPACITY;
        out_length -= (uint32_t)count;
    }
    return true;
}
