/* What malloc.c and new.c ask of the runtime of checked programs, where nothing is checked. */
#include "replay.h"
#include "../planes/planes.h"
#include "../rt/event.h"

uint64_t event_every;

int event_watched(uint64_t point) {
    (void)point;
    return 0;
}

uint64_t event_evaluate(struct context *context) {
    (void)context;
    return 0;
}

void rt_note(int *said, const char *sentence) {
    (void)said;
    (void)sentence;
}

/* Every request and every free comes by here. */
uint32_t thread_stack(struct thread *thread, const struct frame *frame) {
    (void)frame;
    if (WH_UNLIKELY(!thread->tid)) replay_begin_thread(thread);
    return 0;
}

/* ---- planes: all of memory is as the processor has it ---- */

void plane_set(uintptr_t begin, size_t size, uint8_t state) {
    (void)begin;
    (void)size;
    (void)state;
}

void plane_open(uintptr_t begin, size_t size) {
    (void)begin;
    (void)size;
}
