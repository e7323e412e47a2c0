// The virtio-serial port to the host.

#pragma once

// Opens the port; -1 with ENOENT while it has not appeared.
int open_port(void);
