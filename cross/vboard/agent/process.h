// Commands: their start, their input and output, their end.

#pragma once

#include "jobs.h"

// Starts the command of an EXEC frame.
void start(uint32_t id, uint8_t *payload, uint32_t length);
// Adds a piece to a process's input; an empty piece is its end.
void give_input(struct job *job, uint8_t *payload, uint32_t length);
// Writes as much of its input as the process accepts now.
void push_input(struct job *job);
// Sends a piece of a stream; false if nothing more can be read now. `left` is the number of bytes that remain in the pipe
// once the process has ended, -1 before.
bool pull(struct job *job, int *file, int *left, uint32_t type);
// Reports the end of a process that has ended, once its output was sent.
void finish_if_done(struct job *job);
// Marks the processes that have ended.
void reap(void);
