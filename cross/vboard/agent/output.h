// The queue of frames to the host.

#pragma once

#include <stdbool.h>
#include <stdint.h>

// The bytes that a sender of data leaves free, so that a frame that reports an end always fits.
#define CONTROL_RESERVE (128u * 1024u)

// Returns the free bytes of the queue.
uint32_t output_space(void);
// Returns true if there are frames to flush.
bool output_pending(void);
// Drops the frames that were not sent.
void clear_output(void);
// Queues a frame, which must fit.
void send_frame(uint32_t type, uint32_t id, const void *payload, uint32_t length);
// Reports the end of a job: EXITED, SIGNALLED or FAILED, and the status, signal or errno.
void send_exit(uint32_t id, int32_t how, int32_t value);
// Sends the version and the boot's id: in answer to a HELLO with its number, or with zeros at startup.
void send_hello(const uint8_t nonce[8]);
// Writes as much as the port accepts now; false if the host's end is closed.
bool flush_output(int port);
