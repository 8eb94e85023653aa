/* mappings [over]: requests when the system has no more mappings for this process (vm.max_map_count).
 * All of them must be granted, and what is stored must stay. over: writes behind one of the blocks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096ul
#define BIG 1200000
#define BLOCKS 60

static char *pages, *last;

/* Every other page becomes a mapping of its own. */
static int use_up(void) {
    size_t most = 400000;
    pages = mmap(NULL, most * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return 0;
    for (size_t i = 1; i < most; i += 2)
        if (mprotect(pages + i * PAGE, PAGE, PROT_READ)) return 1;
    return 0;
}

static char *make(size_t size, char byte) {
    char *block = malloc(size);
    if (!block) {
        printf("no block of %zu bytes\n", size);
        exit(1);
    }
    memset(block, byte, size);
    return last = block;
}

int main(int count, char **words) {
    static char *blocks[BLOCKS];
    char *first = make(BIG, 1); /* one that is there before */
    if (!use_up()) return puts("there is no end of mappings") < 0;
    for (size_t size = 1; size < 600000; size = size * 3 / 2 + 1) free(make(size, 3));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < BLOCKS; i++) blocks[i] = make(BIG + (size_t)i, (char)i);
        for (int i = 0; i < BLOCKS; i += 3) {
            blocks[i] = realloc(blocks[i], BIG + 500000);
            if (!blocks[i]) return puts("no larger block") < 0;
        }
        for (int i = 0; i < BLOCKS; i++) {
            if (blocks[i][0] != (char)i || blocks[i][BIG - 1] != (char)i) return puts("lost") < 0;
            if (round == 2 && i == 7 && count > 1) ((volatile char *)blocks[i])[BIG + 7] = 1;
            free(blocks[i]);
        }
    }
    if (first[BIG - 1] != 1) return puts("lost") < 0;
    free(first);
    munmap(pages, 400000 * PAGE);
    puts("good");
    return 0;
}
