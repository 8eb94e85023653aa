/* What record.c writes and play.c reads. */
#include <stdint.h>

#define TRACE_FREE UINT32_MAX
#define TRACE_REALLOC (1u << 31)

struct event {
    uint32_t number, size;
};

/* A sparse file. */
struct trace {
    uint64_t count;
    struct event events[];
};
