/* The input decides what holds a block, or that nothing does. Paths run one after the other in a process, and
 * search for leaks in memory that they, earlier paths or none of them have written to. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <whence/leak.h>

struct page {
    _Alignas(4096) char *pointers[4096 / sizeof(char *)];
};

static struct page data = {{"begin"}}, early = {{"begin"}}, zeros;
static _Thread_local char *own;
static char **shared, **region;

#define NOT_INLINE __attribute__((noinline))
static NOT_INLINE char *one(void) { return malloc(100); }
static NOT_INLINE char *other(void) { return malloc(200); }

/* Pointers in the middle of pages, before main begins. */
__attribute__((constructor)) static void prepare(void) {
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    early.pointers[100] = one();
    zeros.pointers[200] = other();
    zeros.pointers[201] = malloc(201);
}

static char **mapped(void) {
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static NOT_INLINE void keep(int way, char **there) {
    char *block = malloc(32);
    if (way == 'a') data.pointers[7] = block;
    if (way == 'b') zeros.pointers[7] = block;
    if (way == 'c') own = block;
    if (way == 'd') *(char **)zeros.pointers[200] = block;
    if (way == 'e') *there = block;
    if (way == 'f') shared[5] = block;
    if (way == 'g') region = mapped(), region[9] = block;
    if (way == 'h') return; /* lost */
    if (way == 'i') early.pointers[100] = block; /* that of the constructor is lost */
    if (way == 'j') data.pointers[8] = early.pointers[100], early.pointers[100] = block;
    if (way == 'k') own = zeros.pointers[201], zeros.pointers[201] = NULL, free(block);
    if (way == 'l') zeros.pointers[200] = NULL, free(block); /* lost */
    if (way == 'm') whence_leak_add_root(block, 32), *(char **)block = malloc(8);
}

int main(void) {
    static const char ways[] = "abcdefghijklm";
    char *volatile there = NULL;
    int byte = getchar();
    shared[5] = NULL; /* of an earlier path */
    for (int i = 0; ways[i]; i++)
        if (byte == ways[i]) {
            keep(ways[i], (char **)&there);
            exit(ways[i]);
        }
    return 0;
}
