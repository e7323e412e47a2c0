// Files that the host writes and reads.

#pragma once

#include "jobs.h"

// Starts to write a file; its content follows in DATA frames, an empty one is the end.
void begin_put(uint32_t id, uint8_t *payload, uint32_t length);
// Writes a piece of the content; replaces the destination at the end.
void continue_put(struct job *job, uint8_t *payload, uint32_t length);
// Starts to read a file; it is sent as the queue has space.
void begin_get(uint32_t id, uint8_t *payload, uint32_t length);
// Sends the next pieces.
void continue_get(struct job *job);
