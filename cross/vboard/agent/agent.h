// What the parts of the guest agent share: the frames, the jobs, and what each part does for the others.

#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define MAGIC 0x544C4356u // "VCLT"
#define VERSION 1u
#define PAYLOAD_MAX 65536u
#define CHUNK 32768u
#define JOBS_MAX 64
#define STRINGS_MAX 512
#define STDIN_WINDOW 65536u
#define OUT_CAPACITY (512u * 1024u)
#define CONTROL_RESERVE (128u * 1024u)

enum { HELLO = 1, EXEC, DATA, SIGNAL, PUT, GET, WAIT, CLOCK };
enum { R_HELLO = 16, R_OUT, R_ERR, R_EXIT, R_CREDIT, R_STARTED, R_FAULT };
enum { EXITED = 0, SIGNALLED = 1, FAILED = 2 };
enum { EXEC_STDIN = 1, EXEC_TERMINAL = 2 };
enum { WAIT_PRESENT = 1, WAIT_CONTENT = 2 };

struct header {
    uint32_t magic, length, type, id;
};

enum kind { FREE = 0, PROCESS, PUTTING, GETTING, WAITING };

struct job {
    enum kind kind;
    uint32_t id;
    // A process.
    pid_t pid;
    int in, out, err;
    bool reaped, in_ended;
    int status;
    int out_left, err_left; // what was in the pipes when the process ended; -1 while it runs
    uint32_t input_length; // what of its input it has not taken yet
    // A file on its way in or out.
    int file, error;
    char path[PATH_MAX], temporary[PATH_MAX];
    // A wait.
    uint8_t flags;
    char content[256];
};

// Writes a line to standard error, which init sends to the console or the journal.
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);
// Closes a descriptor, where there is one, and forgets it.
void shut(int *file);

// output.c: frames on their way to the host.

// How many bytes of frames still fit. A sender of data leaves CONTROL_RESERVE of them.
uint32_t room(void);
// Whether there is something to flush.
bool output_waits(void);
// Drops what has not been sent: nobody is there to read it.
void forget_output(void);
// Queues a frame, which must fit.
void send_frame(uint32_t type, uint32_t id, const void *payload, uint32_t length);
// Tells how a job has ended: EXITED, SIGNALLED or FAILED, and the status, signal or errno.
void send_exit(uint32_t id, int32_t how, int32_t value);
// Tells who this is: in answer to a HELLO with its number, or with zeros at the start.
void send_hello(const uint8_t nonce[8]);
// Writes as much as the port takes now; false when the host's end is closed.
bool flush_out(int port);

// input.c: frames from the host.

// Reads and handles what has come; false when the host's end is closed.
bool read_frames(int port);
// Drops half of a frame whose rest will not come.
void forget_input(void);
// Takes a NUL-terminated string from a payload; NULL where none ends before its end.
char *string(uint8_t **at, uint8_t *end);

// jobs.c: what is being done for the host.

extern struct job jobs[JOBS_MAX];
// The job with the host's number; NULL where there is none.
struct job *find(uint32_t id);
// A new job; NULL where the number is taken or the table full.
struct job *make(uint32_t id, enum kind kind);
// Lets go of all that a job holds.
void drop(struct job *job);
// Ends all jobs: a new session of the host starts from nothing.
void reset_jobs(void);

// process.c: commands.

// Starts what an EXEC asks for.
void start(uint32_t id, uint8_t *payload, uint32_t length);
// Takes a piece of a process's input; an empty one is its end.
void give_input(struct job *job, uint8_t *payload, uint32_t length);
// Writes as much of its input as the process takes now.
void push_input(struct job *job);
// Sends a piece of a stream; false when nothing more is to be had now. `left` is what is still to come of it once the
// process has ended, -1 before.
bool pull(struct job *job, int *file, int *left, uint32_t type);
// Tells the end of a process that has ended and whose output was sent.
void finish_if_done(struct job *job);
// Notes which processes have ended.
void reap(void);

// file.c: files in and out.

// Starts to write a file; its content comes in DATA frames, an empty one is the end.
void begin_put(uint32_t id, uint8_t *payload, uint32_t length);
void continue_put(struct job *job, uint8_t *payload, uint32_t length);
// Starts to read a file; it is sent as there is room.
void begin_get(uint32_t id, uint8_t *payload, uint32_t length);
void continue_get(struct job *job);

// wait.c: waits for files.

// Starts to wait for a path that matches a pattern, or for none to match.
void begin_wait(uint32_t id, uint8_t *payload, uint32_t length);
// Looks again, and ends the wait where it holds.
void check_wait(struct job *job);

// modules.c: the kernel modules of a boot without modprobe.

// Loads the modules that a file lists; returns the exit status.
int load(const char *list);
