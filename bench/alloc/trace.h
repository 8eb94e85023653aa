/* What record.c writes and play.c reads: the requests of each thread, in its order, and of each block the
 * order over all threads. */
#include <stdint.h>

#define TRACE_FREE UINT32_MAX
#define TRACE_REALLOC (1u << 31)

/* The events of a number have turns, from 0 on: one is due when all before it have happened. */
struct event {
    uint32_t number, size;
    uint32_t turn;
};

#define TRACE_THREADS 16u
#define TRACE_EVENTS (1u << 24) /* of each thread */

/* A sparse file. */
struct trace {
    uint32_t threads, numbers;
    uint32_t counts[TRACE_THREADS];
    struct event events[TRACE_THREADS][TRACE_EVENTS];
};
