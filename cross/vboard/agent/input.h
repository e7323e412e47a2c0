// The frames from the host, and the part that handles each.

#pragma once

#include <stdbool.h>

// Reads and handles the frames that have arrived; false if the host's end is closed.
bool read_frames(int port);
// Drops a frame of which only a part has arrived.
void clear_input(void);
