// The clock and the random numbers of a board that was restored.

#pragma once

#include <stdint.h>

// Sets the clock and seeds the random numbers: those of a restored board are of the moment when it was saved.
void set_clock(uint32_t id, uint8_t *payload, uint32_t length);
