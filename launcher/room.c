#include "room.h"
#include <stdint.h>
#include <sys/mman.h>

#define PAGE 4096ul
#define STEPS 4096 /* pages of the stack that are passed at most */

/* 1: the room ends at this address. 0: there is something in the way. -1: the kernel puts memory
 * elsewhere, because it is too old to know the flag. */
static int make_below(uintptr_t end) {
    void *wanted = (void *)(end - ROOM_SIZE);
    void *made = mmap(wanted, ROOM_SIZE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (made == wanted) return 1;
    if (made == MAP_FAILED) return 0;
    munmap(made, ROOM_SIZE);
    return -1;
}

/* From the page in use down to the first that is not the stack's: that one has free memory below.
 */
int room_make(void) {
    uintptr_t end = (uintptr_t)__builtin_frame_address(0) & -PAGE;
    int made = 0;
    for (unsigned i = 0; !made && i < STEPS; i++, end -= PAGE) made = make_below(end);
    return made > 0;
}
