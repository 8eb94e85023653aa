// An arena tells Valgrind what it has handed out and taken back; the program reads neither after that.
#include <stdlib.h>
#include <string.h>

/* As in valgrind/valgrind.h, which is not on every machine. */
static unsigned long request(unsigned long number, const void *a, unsigned long b, unsigned long c) {
    volatile unsigned long _zzq_args[6] = {number, (unsigned long)a, b, c, 0, 0};
    unsigned long result = 0;
    __asm__ volatile("rolq $3,  %%rdi ; rolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi ; rolq $51, %%rdi\n\t"
                     "xchgq %%rbx,%%rbx"
                     : "=d"(result)
                     : "a"(&_zzq_args[0]), "0"(result)
                     : "cc", "memory");
    return result;
}

enum { MALLOCLIKE_BLOCK = 0x1301, FREELIKE_BLOCK = 0x1302 };

static char *arena;
static size_t used;

__attribute__((noinline)) static char *get(size_t size) {
    char *block = arena + used;
    used += (size + 15) / 16 * 16;
    request(MALLOCLIKE_BLOCK, block, size, 0);
    return block;
}

__attribute__((noinline)) static void drop(char *block) {
    request(FREELIKE_BLOCK, block, 0, 0);
}

int main(void) {
    arena = malloc(1000);
    char *first = get(40), *second = get(24);
    strcpy(first, "first");
    strcpy(second, "second");
    int status = first[2] == 0;
    drop(first);
    status += second[0] == 0;
    free(arena);
    return status;
}
