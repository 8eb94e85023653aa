/* mapped_over: the program maps its own memory over pages of blocks, and of the heap that no block
 * has used; says where blocks lie afterwards, and whether its memory was left alone. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096ul
#define RANGES 40

static struct {
    char *begin;
    size_t size;
} ranges[RANGES];
static void *lives[7];
static int count, good = 1;

static void map(char *at, size_t size) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, access = PROT_READ | PROT_WRITE;
    char *got = count % 2 ? mmap(at, size, access, flags, -1, 0)
                          : (char *)syscall(SYS_mmap, at, size, access, flags, -1, 0L);
    good &= got == at && !got[0] && !got[size - 1];
    memset(at, 42, size);
    ranges[count].begin = at;
    ranges[count++].size = size;
}

static void use(size_t size) {
    char *blocks[50];
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 50; i++) {
            blocks[i] = malloc(size);
            memset(blocks[i], 1, size);
            for (int j = 0; j < count; j++)
                good &= blocks[i] + size <= ranges[j].begin ||
                        blocks[i] >= ranges[j].begin + ranges[j].size;
        }
        printf("%p %p\n", (void *)blocks[0], (void *)blocks[49]);
        for (int i = 0; i < 50; i++) free(blocks[i]);
    }
}

int main(void) {
    static const size_t sizes[] = {24, 100, 4096, 9000, 100000, 1000000, 2000000};
    for (int i = 0; i < 7; i++) {
        void *freed, *live;
        if (posix_memalign(&freed, PAGE, sizes[i] + PAGE) || posix_memalign(&live, PAGE, 2 * PAGE)) return 2;
        char *unused = (char *)((size_t)malloc(sizes[i]) & ~(PAGE - 1)) + (1ul << 30);
        lives[i] = live;
        memset(live, 7, 2 * PAGE);
        free(freed);
        map(freed, PAGE);
        map((char *)live + PAGE, PAGE);
        map(unused, 100 * PAGE);
        good &= *(char *)live == 7;
        use(sizes[i]);
        use(sizes[i] + PAGE);
        /* Shorter, moved away, unmapped: nothing else comes there. */
        char *moved = mremap(unused, 100 * PAGE, 90 * PAGE, 0);
        good &= moved == unused;
        moved = mremap(moved, 90 * PAGE, 200 * PAGE, MREMAP_MAYMOVE);
        good &= moved != unused && moved[0] == 42 && moved[90 * PAGE - 1] == 42;
        munmap(moved, 200 * PAGE);
        munmap(freed, PAGE);
        ranges[count - 1].size = ranges[count - 3].size = 0;
        char *hint = mmap(unused, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        good &= hint != unused;
        good &= mmap(freed, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != freed;
        use(sizes[i]);
    }
    for (int j = 0; j < count; j++)
        for (size_t i = 0; i < ranges[j].size; i++) good &= ranges[j].begin[i] == 42;
    for (int i = 0; i < 7; i++) free(lives[i]);
    puts(good ? "good" : "bad");
    return !good;
}
