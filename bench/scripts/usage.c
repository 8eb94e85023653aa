/* Runs a command without address randomisation and writes what it used.
 *
 *     usage RESULT COMMAND ARGUMENT…
 *
 * RESULT gets one line: user + system seconds, elapsed seconds, peak resident
 * memory in KiB, exit status (or minus the signal). A program of its own
 * because the peak that the kernel reports starts at the size of the process
 * that forked: started from Python, nothing small could be measured.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval time)
{
    return (double) time.tv_sec + (double) time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pid_t child = fork();
    if (child == 0) {
        personality(ADDR_NO_RANDOMIZE);
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    int status;
    struct rusage used;
    if (child < 0 || wait4(child, &status, 0, &used) != child)
        return 1;
    clock_gettime(CLOCK_MONOTONIC, &end);
    double elapsed = (double) (end.tv_sec - begin.tv_sec) + (double) (end.tv_nsec - begin.tv_nsec) / 1e9;
    FILE *result = fopen(argv[1], "w");
    if (!result)
        return 1;
    fprintf(result, "%.6f %.6f %ld %d\n", seconds(used.ru_utime) + seconds(used.ru_stime), elapsed,
            used.ru_maxrss, WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
    return fclose(result) ? 1 : 0;
}
