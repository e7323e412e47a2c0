// The kernel modules of a boot without modprobe.

#pragma once

// Loads the modules that a file lists; returns the exit status.
int load(const char *list);
