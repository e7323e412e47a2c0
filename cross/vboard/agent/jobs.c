#include "jobs.h"
#include "descriptor.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

struct job jobs[JOBS_MAX];

struct job *find(uint32_t id) {
    for (int i = 0; i < JOBS_MAX; i++)
        if (jobs[i].kind != FREE && jobs[i].id == id) return &jobs[i];
    return NULL;
}

struct job *make(uint32_t id, enum kind kind) {
    if (find(id)) return NULL;
    for (int i = 0; i < JOBS_MAX; i++)
        if (jobs[i].kind == FREE) {
            memset(&jobs[i], 0, sizeof jobs[i]);
            jobs[i].kind = kind, jobs[i].id = id;
            jobs[i].in = jobs[i].out = jobs[i].err = jobs[i].file = -1;
            jobs[i].out_left = jobs[i].err_left = -1;
            return &jobs[i];
        }
    return NULL;
}

void drop(struct job *job) {
    shut(&job->in), shut(&job->out), shut(&job->err), shut(&job->file);
    if (job->kind == PUTTING && job->temporary[0]) unlink(job->temporary);
    job->kind = FREE;
}

void reset_jobs(void) {
    for (int i = 0; i < JOBS_MAX; i++) {
        if (jobs[i].kind == FREE) continue;
        if (jobs[i].kind == PROCESS && !jobs[i].reaped) kill(-jobs[i].pid, SIGKILL);
        drop(&jobs[i]);
    }
}
