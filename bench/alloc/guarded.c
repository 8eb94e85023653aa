/* Loads for guarding allocators: guarded WHAT BLOCKS OPERATIONS. Prints, at its peak, the KiB of page
 * tables that the process has; they are not in its resident memory.
 *
 * live     blocks of 16 to 115 bytes: all are allocated and filled, then read, then freed
 * churn    the same, and then a random one is freed and allocated anew, again and again
 * random   the same, and then random ones are read and written */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t state = 88172645463325252ull;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static size_t size_of(long i) { return 16 + (size_t)i % 100; }

static unsigned char *make(long i) {
    unsigned char *block = malloc(size_of(i));
    if (!block) abort();
    memset(block, (int)(i & 255), size_of(i));
    return block;
}

static void check(const unsigned char *block, long i) {
    if (block[0] != (i & 255) || block[size_of(i) - 1] != (i & 255)) abort();
}

/* Without allocation. */
static long page_tables(void) {
    static char text[8192];
    int file = open("/proc/self/status", O_RDONLY);
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    const char *line = size > 0 ? strstr(text, "VmPTE:") : NULL;
    return line ? atol(line + 6) : 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    long count = atol(argv[2]), operations = atol(argv[3]);
    unsigned char **blocks = malloc((size_t)count * sizeof *blocks);
    if (!blocks) return 1;
    for (long i = 0; i < count; i++) blocks[i] = make(i);
    for (long done = 0; done < operations; done++) {
        long i = (long)(next() >> 20) % count;
        check(blocks[i], i);
        if (!strcmp(argv[1], "churn")) {
            free(blocks[i]);
            blocks[i] = make(i);
        } else {
            blocks[i][0] = (unsigned char)(i & 255);
        }
    }
    for (long i = 0; i < count; i++) check(blocks[i], i);
    long tables = page_tables();
    for (long i = 0; i < count; i++) free(blocks[i]);
    free(blocks);
    printf("%ld\n", tables);
    return 0;
}
