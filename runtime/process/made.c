#include "made.h"
#include "../os/mem.h"

#define QUESTION 1000u
#define PART 1024u

/* A path begins with the same state as all others, since memory goes back (symbolic/snapshot.c). */
static uint64_t passed;
static uint64_t state = 0x9e3779b97f4a7c15u;

static uint64_t pass(uint64_t nanoseconds) {
    return __atomic_add_fetch(&passed, nanoseconds, __ATOMIC_RELAXED);
}

uint64_t made_time(void) {
    return pass(QUESTION + __atomic_load_n(&passed, __ATOMIC_RELAXED) / PART);
}

void made_wait(uint64_t nanoseconds) { pass(nanoseconds); }

/* xorshift64*, by Vigna. */
static uint64_t next(void) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1du;
}

void made_fill(void *to, size_t size) {
    for (size_t done = 0; done < size; done += sizeof(uint64_t)) {
        uint64_t bytes = next();
        size_t part = size - done < sizeof bytes ? size - done : sizeof bytes;
        wh_copy((char *)to + done, &bytes, part);
    }
}
