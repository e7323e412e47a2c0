#include "input.h"
#include "clock.h"
#include "file.h"
#include "frames.h"
#include "jobs.h"
#include "output.h"
#include "process.h"
#include "wait.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static uint8_t in_buffer[sizeof(struct header) + PAYLOAD_MAX];
static uint32_t in_length;

void clear_input(void) { in_length = 0; }

static void send_signal(struct job *job, uint8_t *payload, uint32_t length) {
    int32_t fields[2]; // the number; 1 for the whole group
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
    case DATA: // dropped for a job that has just ended
        if (job && job->kind == PROCESS) give_input(job, payload, length);
        else if (job && job->kind == PUTTING) continue_put(job, payload, length);
        break;
    case SIGNAL:
        if (job) send_signal(job, payload, length);
        break;
    default: send_frame(R_FAULT, header->id, "unknown frame", 13);
    }
}

bool read_frames(int port) {
    while (output_space() >= CONTROL_RESERVE) {
        struct header header;
        uint32_t want = sizeof header;
        if (in_length >= sizeof header) {
            memcpy(&header, in_buffer, sizeof header);
            if (header.magic != MAGIC || header.length > PAYLOAD_MAX) {
                // Continues at the next byte: a host that died in the middle of a frame leaves half of it.
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
