/* What the system answers is the same on all paths, and time passes: each answer is looked at with a byte
 * of the input. With BUG, one of the paths has an error that only these answers lead to. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static unsigned long long mixed = 1;

static void mix(unsigned long long answer) { mixed = (mixed ^ answer) * 0x9E3779B97F4A7C15ull; }

static void ask_clocks(void) {
    struct timespec now;
    struct timeval day;
    struct rusage used;
    struct tms ticks;
    for (clockid_t clock = CLOCK_REALTIME; clock <= CLOCK_THREAD_CPUTIME_ID; clock++) {
        clock_gettime(clock, &now);
        mix((unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec);
    }
    gettimeofday(&day, NULL);
    mix((unsigned long long)day.tv_usec);
    timespec_get(&now, TIME_UTC);
    mix((unsigned long long)now.tv_nsec);
    getrusage(RUSAGE_SELF, &used);
    mix((unsigned long long)used.ru_utime.tv_usec + (unsigned long long)used.ru_maxrss);
    mix((unsigned long long)times(&ticks) + (unsigned long long)ticks.tms_utime);
    mix((unsigned long long)clock());
    mix((unsigned long long)time(NULL));
}

static void ask_for_bytes(void) {
    unsigned long long bytes = 0;
    int file = open("/dev/urandom", O_RDONLY);
    mix(read(file, &bytes, sizeof bytes) == sizeof bytes ? bytes : 1);
    close(file);
    FILE *stream = fopen("/dev/random", "r");
    mix(fread(&bytes, sizeof bytes, 1, stream) == 1 ? bytes : 1);
    fclose(stream);
    getrandom(&bytes, sizeof bytes, 0);
    mix(bytes);
    getentropy(&bytes, sizeof bytes);
    mix(bytes);
}

/* Waits that end because time passes. */
static int waits_end(void) {
    struct timespec until, now, part = {0, 300000000};
    time_t begin = time(NULL);
    while (time(NULL) < begin + 3) continue;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 2;
    do {
        nanosleep(&part, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec < until.tv_sec);
    until.tv_sec += 100;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec < until.tv_sec) return 0;
    begin = time(NULL);
    sleep(1000);
    usleep(900000);
    return time(NULL) >= begin + 1000;
}

int main(void) {
    ask_clocks();
    ask_for_bytes();
    mix((unsigned long long)getpid());
    mix((unsigned long long)getppid());
    if (!waits_end() || getpid() != gettid() || getpid() == getppid()) return 99;
    int byte = getchar(), status = 0;
    for (int i = 0; i < 4; i++)
        if ((byte ^ (int)(mixed >> 32)) >> i & 1) status += 1 << i;
#ifdef BUG
    char *block = malloc(4);
    block[status == (int)(mixed >> 40 & 15) ? 4 : 0] = 1;
    free(block);
#endif
    return status;
}
