// Undefined bits are copied, passed, masked and overwritten, and nothing depends on them.
// RUN: options --enable use-of-uninitialized-value
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

struct padded {
    char letter;
    long number;
    short small;
};

union both {
    char text[16];
    double number;
};

__attribute__((noinline)) static struct padded made(int number) {
    struct padded padded;
    padded.letter = 'a';
    padded.number = number;
    padded.small = 3;
    return padded;
}

__attribute__((noinline)) static long by_value(struct padded padded, union both both) {
    return padded.number + padded.small + both.text[0];
}

__attribute__((noinline)) static int second(int unused, int used) {
    (void)unused;
    return used;
}

static int sum(int count, ...) {
    va_list list;
    va_start(list, count);
    int total = 0;
    while (count--) {
        total += va_arg(list, int);
        if (total > 1000) puts("much");
    }
    va_end(list);
    return total;
}

static int copies(void) {
    struct padded one = made(4), many[3], *heap = malloc(3 * sizeof *heap);
    union both both;
    strcpy(both.text, "text");
    many[1] = one;
    if (!heap) return 1;
    memcpy(heap, many, sizeof many);
    memmove(heap + 1, heap, 2 * sizeof *heap);
    long value = by_value(heap[2], both);
    free(heap);
    return value == 4 + 3 + 't' ? 0 : 1;
}

static int bits(uint32_t all) {
    uint32_t word;
    unsigned char *bytes = (unsigned char *)&word;
    bytes[0] = (unsigned char)all;
    bytes[2] = 7;
    if ((word & 0xff) == 5) return 1;
    if ((word >> 16 & 0xf) != 7) return 1;
    if ((word | 0xff00ff00) == 12) return 1;
    uint64_t high = (uint64_t)word << 40;
    return (high & 0xff0000000000) >> 40 == 5 ? 1 : 0;
}

static int unused(int count) {
    int numbers[10], other;
    if (count > 3) other = 5;
    int found = second(other, count);
    int chosen = count > 3 ? other : 2;
    numbers[0] = chosen;
    return found == count && numbers[0] == 2 ? 0 : 1;
}

static int library(void) {
    char line[64], copy[64];
    wchar_t wide[16];
    snprintf(line, sizeof line, "%d %s", 12, "words");
    memcpy(copy, line, sizeof line);
    if (strlen(copy) != 8 || strcmp(copy, line) != 0 || !strchr(copy, 'w')) return 1;
    swprintf(wide, 16, L"%ls", L"wide");
    if (wcslen(wide) != 4) return 1;
    int number, matched = sscanf(copy, "%d %63s", &number, line);
    if (matched != 2 || number != 12) return 1;
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) || now.tv_nsec < 0) return 1;
    struct tm parts;
    time_t moment = 100000;
    if (!gmtime_r(&moment, &parts) || parts.tm_year != 70) return 1;
    int ends[2];
    if (pipe(ends) || write(ends[1], "abc", 3) != 3) return 1;
    char received[100];
    ssize_t got = read(ends[0], received, sizeof received);
    if (got != 3 || received[2] != 'c') return 1;
    char *end;
    return strtol("17x", &end, 10) == 17 && *end == 'x' ? 0 : 1;
}

static int compare(const void *a, const void *b) {
    const struct padded *one = a, *other = b;
    return one->number < other->number ? -1 : one->number > other->number;
}

static int sorted(void) {
    struct padded things[20];
    for (int i = 0; i < 20; i++) things[i] = made(i * 7 % 20);
    qsort(things, 20, sizeof *things, compare);
    struct padded key = made(13);
    struct padded *found = bsearch(&key, things, 20, sizeof *things, compare);
    return found == &things[13] ? 0 : 1;
}

static jmp_buf back;

static int jumps(void) {
    volatile int number;
    if (!setjmp(back)) {
        number = 3;
        longjmp(back, 1);
    }
    return number == 3 ? 0 : 1;
}

static void *run(void *argument) {
    int *numbers = argument, own[8];
    own[3] = numbers[1];
    numbers[0] = own[3] + 1;
    return NULL;
}

static int threads(void) {
    int numbers[2];
    pthread_t thread;
    numbers[1] = 6;
    if (pthread_create(&thread, NULL, run, numbers) || pthread_join(thread, NULL)) return 1;
    return numbers[0] == 7 ? 0 : 1;
}

static int sizes(int count) {
    char text[count + 10];
    memset(text, 'x', (size_t)count + 10);
    double grid[2][3];
    for (int i = 0; i < 6; i++) grid[i / 3][i % 3] = i;
    return text[count] == 'x' && grid[1][2] > 4 ? 0 : 1;
}

int main(int argc, char **argv) {
    (void)argv;
    errno = 0;
    int wrong = copies() + bits(6) + unused(argc) + library() + sorted() + jumps() + threads() + sizes(argc);
    wrong += sum(3, 1, 2, 3) != 6;
    if (wrong) printf("%d wrong\n", wrong);
    return wrong;
}
