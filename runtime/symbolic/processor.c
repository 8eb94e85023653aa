#include "processor.h"
#include "standing.h"
#include "../os/mem.h"
#include "../os/os.h"

#include <sys/syscall.h>

#define WORDS 128
#define WORD_BITS 64

/* before: the processors of the process, a bit for each, in so many bytes. */
struct processor {
    uint64_t before[WORDS];
    long bytes;
    uint32_t stays, is_free;
};

_Static_assert(STANDING_PROCESSOR + sizeof(struct processor) <= STANDING_UNDO, "room");

static struct processor *own(void) { return STANDING(STANDING_PROCESSOR); }

static int set(const uint64_t *words, long bytes) {
    return !os_failed(os_call(SYS_sched_setaffinity, 0, bytes, (long)words, 0, 0, 0));
}

void processor_free(void) {
    struct processor *now = own();
    if (now->stays) set(now->before, now->bytes);
    now->stays = 0;
}

void processor_free_for_good(void) {
    processor_free();
    own()->is_free = 1;
}

void processor_stay(uint32_t processor) {
    struct processor *now = own();
    if (now->stays == processor || now->is_free) return;
    processor_free();
    if (!processor || processor > WORDS * WORD_BITS) return;
    uint64_t one[WORDS] = {0};
    one[(processor - 1) / WORD_BITS] = 1ull << (processor - 1) % WORD_BITS;
    now->bytes = os_call(SYS_sched_getaffinity, 0, sizeof now->before, (long)now->before, 0, 0, 0);
    if (!os_failed(now->bytes) && set(one, now->bytes)) now->stays = processor;
}
