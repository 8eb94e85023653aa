#include "chance.h"
#include "../os/mem.h"
#include "../settings/options.h"

/* A path begins with the same state as all others, since memory goes back (snapshot.c). */
static uint64_t state = 0x9e3779b97f4a7c15u;

/* xorshift64*, by Vigna. */
static uint64_t next(void) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1du;
}

int chance_fill(void *to, size_t size) {
    if (!options.explore) return 0;
    for (size_t done = 0; done < size; done += sizeof(uint64_t)) {
        uint64_t bytes = next();
        size_t part = size - done < sizeof bytes ? size - done : sizeof bytes;
        wh_copy((char *)to + done, &bytes, part);
    }
    return 1;
}
