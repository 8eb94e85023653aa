// The clean twin of optional-arguments.c: the functions do not look at them.
// RUN: options --enable use-of-uninitialized-value --keep-going
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define APART __attribute__((noinline)) static

APART int opened(const char *path, int flags, int given, int with) {
    int mode;
    if (given)
        mode = with;
    return open(path, flags, mode);
}

APART int controlled(int file, int command, int given, int with) {
    int value;
    if (given)
        value = with;
    return fcntl(file, command, value);
}

APART int asked(int file, unsigned long command, int given, void *with) {
    void *value;
    if (given)
        value = with;
    return ioctl(file, command, value);
}

APART void print(const char *format, int count, ...) {
    const char *texts[3];
    va_list list;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        texts[i] = va_arg(list, const char *);
    va_end(list);
    char line[40];
    snprintf(line, sizeof line, format, texts[0], texts[1], texts[2]);
    puts("printed");
}

APART void *mapped(int flags, int given, int with) {
    int file;
    if (given)
        file = with;
    return mmap(NULL, 4096, PROT_READ, flags, file, 0);
}

static void *end(void *unused) { return NULL; }

APART void threaded(void) {
    void *unused;
    pthread_t thread;
    pthread_create(&thread, NULL, end, unused);
    pthread_join(thread, NULL);
}

int main(void) {
    int rest = opened("/dev/null", O_RDWR, 0, 0);
    controlled(rest, F_GETFD, 0, 0);
    asked(rest, TIOCNOTTY, 0, NULL);
    print("%s%%", 1, "");
    mapped(MAP_PRIVATE | MAP_ANONYMOUS, 0, 0);
    threaded();
    return 0;
}
