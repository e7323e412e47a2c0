// The table of jobs: processes, files and waits of the host.

#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define JOBS_MAX 64

enum kind { FREE = 0, PROCESS, PUTTING, GETTING, WAITING };

struct job {
    enum kind kind;
    uint32_t id;
    // A process.
    pid_t pid;
    int in, out, err;
    bool reaped, in_ended;
    int status;
    int out_left, err_left; // the bytes in the pipes when the process ended; -1 while it runs
    uint32_t input_length;  // the bytes of its input that it has not read
    // A file that is written or read.
    int file, error;
    char path[PATH_MAX], temporary[PATH_MAX];
    // A wait.
    uint8_t flags;
    char content[256];
};

extern struct job jobs[JOBS_MAX];
// Returns the job with the host's number; NULL if there is none.
struct job *find(uint32_t id);
// Returns a new job; NULL if the number is in use or the table is full.
struct job *make(uint32_t id, enum kind kind);
// Releases everything that a job holds.
void drop(struct job *job);
// Kills and drops all jobs: a new session of the host starts with an empty table.
void reset_jobs(void);
