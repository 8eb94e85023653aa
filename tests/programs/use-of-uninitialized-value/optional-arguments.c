// Wrappers hand on arguments that they have only in some cases, and the function looks at them all the same.
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
    return open(path, flags, mode); // EXPECT use-of-uninitialized-value use argument
}

APART int controlled(int file, int command, int given, int with) {
    int value;
    if (given)
        value = with;
    return fcntl(file, command, value); // EXPECT use-of-uninitialized-value use argument
}

APART int asked(int file, unsigned long command, int given, void *with) {
    void *value;
    if (given)
        value = with;
    return ioctl(file, command, value); // EXPECT use-of-uninitialized-value use argument
}

APART void print(const char *format, int count, ...) {
    const char *texts[3];
    va_list list;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        texts[i] = va_arg(list, const char *);
    va_end(list);
    char line[40];
    snprintf(line, sizeof line, format, texts[0], texts[1], texts[2]); // EXPECT use-of-uninitialized-value use argument
    puts("printed");
}

APART void *mapped(int flags, int given, int with) {
    int file;
    if (given)
        file = with;
    return mmap(NULL, 4096, PROT_READ, flags, file, 0); // EXPECT use-of-uninitialized-value use argument
}

static void *end(void *unused) { return NULL; }

APART void threaded(void) {
    void *unused;
    pthread_t thread;
    pthread_create(&thread, NULL, end, unused);
    pthread_join(thread, NULL);
}

int main(void) {
    int rest = opened("/dev/null", O_RDWR | O_CREAT, 0, 0);
    controlled(rest, F_SETFD, 0, 0);
    asked(rest, TIOCSWINSZ, 0, NULL);
    print("%s%p", 1, "");
    mapped(MAP_PRIVATE, 0, 0);
    threaded();
    return 0;
}
