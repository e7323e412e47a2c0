// Waits for a file that appears, disappears or has a content.

#pragma once

#include "jobs.h"

// Starts to wait until a path matches a pattern, or until none does.
void begin_wait(uint32_t id, uint8_t *payload, uint32_t length);
// Checks the condition again and ends the wait if it holds.
void check_wait(struct job *job);
