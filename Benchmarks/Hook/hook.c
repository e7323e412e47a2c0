// The hook that reports its start time: `BenchHook FIFO` reads the clock first and then writes the time to the FIFO.
#include <fcntl.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (argc != 2) return 64;
    int64_t nanoseconds = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    int fifo = open(argv[1], O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (fifo < 0) return 1;
    return write(fifo, &nanoseconds, sizeof nanoseconds) == sizeof nanoseconds ? 0 : 1;
}
