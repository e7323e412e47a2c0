// The frames from the host, and who deals with each.

#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static uint8_t in_buffer[sizeof(struct header) + PAYLOAD_MAX];
static uint32_t in_length;

void forget_input(void) { in_length = 0; }

// Reads one NUL-terminated string; NULL past the end.
char *string(uint8_t **at, uint8_t *end) {
    uint8_t *nul = memchr(*at, 0, (size_t)(end - *at));
    if (!nul) return NULL;
    char *result = (char *)*at;
    *at = nul + 1;
    return result;
}

// A restored board has the clock and the random numbers of the moment when it was saved.
static void set_clock(uint32_t id, uint8_t *payload, uint32_t length) {
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

static void send_signal(struct job *job, uint8_t *payload, uint32_t length) {
    int32_t fields[2]; // the number, and whether the whole group gets it
    if (length < sizeof fields) return;
    memcpy(fields, payload, sizeof fields);
    if (job->kind == PROCESS) {
        if (!job->reaped) kill(fields[1] ? -job->pid : job->pid, fields[0]);
    } else {
        send_exit(job->id, FAILED, ECANCELED);
        drop(job);
    }
}

static void handle(struct header *header, uint8_t *payload) {
    struct job *job = find(header->id);
    uint32_t length = header->length;
    switch (header->type) {
    case HELLO:
        reset_jobs();
        if (length >= 8) send_hello(payload);
        break;
    case EXEC: start(header->id, payload, length); break;
    case PUT: begin_put(header->id, payload, length); break;
    case GET: begin_get(header->id, payload, length); break;
    case WAIT: begin_wait(header->id, payload, length); break;
    case CLOCK: set_clock(header->id, payload, length); break;
    case DATA: // for a job that has just ended there is nobody left to give it to
        if (job && job->kind == PROCESS) give_input(job, payload, length);
        else if (job && job->kind == PUTTING) continue_put(job, payload, length);
        break;
    case SIGNAL:
        if (job) send_signal(job, payload, length);
        break;
    default: send_frame(R_FAULT, header->id, "unknown frame", 13);
    }
}

// Reads what the host sent; false when the host's end is closed or the stream makes no sense.
bool read_frames(int port) {
    while (room() >= CONTROL_RESERVE) {
        struct header header;
        uint32_t want = sizeof header;
        if (in_length >= sizeof header) {
            memcpy(&header, in_buffer, sizeof header);
            if (header.magic != MAGIC || header.length > PAYLOAD_MAX) {
                // Starts again behind the next byte: a host that died in the middle of a frame leaves half of it.
                memmove(in_buffer, in_buffer + 1, --in_length);
                continue;
            }
            want += header.length;
            if (in_length == want) {
                in_length = 0;
                handle(&header, in_buffer + sizeof header);
                continue;
            }
        }
        ssize_t count = read(port, in_buffer + in_length, want - in_length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return true;
        if (count <= 0) return false;
        in_length += (uint32_t)count;
    }
    return true;
}
