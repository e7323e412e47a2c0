// The frames between host and guest: `../agent.md` describes each.

#pragma once

#include <stdint.h>

#define MAGIC 0x544C4356u // "VCLT"
#define VERSION 1u
#define PAYLOAD_MAX 65536u
#define CHUNK 32768u // the most of a stream that one frame carries

enum { HELLO = 1, EXEC, DATA, SIGNAL, PUT, GET, WAIT, CLOCK };
enum { R_HELLO = 16, R_OUT, R_ERR, R_EXIT, R_CREDIT, R_STARTED, R_FAULT };
enum { EXITED = 0, SIGNALLED = 1, FAILED = 2 };
enum { EXEC_STDIN = 1, EXEC_TERMINAL = 2 };
enum { WAIT_PRESENT = 1, WAIT_CONTENT = 2 };

struct header {
    uint32_t magic, length, type, id;
};
