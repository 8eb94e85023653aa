/* Functions of klee/klee.h about numbers and memory. */
#include <errno.h>
#include <klee/klee.h>
#include <stdlib.h>
#include <unistd.h>

#define DEVICE ((unsigned char *)0x70000000)

static unsigned char *block;

int main(void) {
    block = malloc(4);
    uintptr_t way = klee_choose(5);
    klee_define_fixed_object(DEVICE + 16, 8);
    DEVICE[16] = 7;
    klee_check_memory_access(DEVICE + 16, 8);
    klee_check_memory_access(block, 4);
    klee_print_range("way", -1);
    klee_posix_prefer_cex(&way, way != 0);
    close(-1);
    if (klee_get_errno() != EBADF) return 9;
    switch (way) {
    case 0: return 0;
    case 1: klee_check_memory_access(block, 5); return 1; /* one byte behind */
    case 2: return 2;
    case 3: klee_check_memory_access((void *)0x60000000, 1); return 3; /* nothing is there */
    case 4: return 4;
    default: return 5; /* never */
    }
}
