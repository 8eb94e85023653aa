/* The last writes of values that are followed, for debuggers. */
#ifndef WHENCE_ORIGINS_LOG_H
#define WHENCE_ORIGINS_LOG_H

#include <stdint.h>

struct logged_write {
    uint64_t address, size;
    uint64_t value;
    uint64_t clock; /* of events */
    uint32_t node;  /* 0: not complete */
    uint32_t whole; /* whether all bytes are in `value` */
};

/* Makes room for a log if there is to be one. */
void log_init(void);

void log_value(uint64_t address, uint64_t size, uint64_t value, uint32_t node);

/* Bytes that got the values that are there now; cells_node says which nodes these have. */
void log_range(uint64_t address, uint64_t size, uint32_t node);

int log_is_on(void);

/* Whether ranges are logged in words, by `log_value`, because they are short and there is a log. */
int log_by_words(uint64_t size);

/* The last write before this number of one that touches the bytes, and its number in *before; 0
 * begins with the last of all. NULL behind the oldest. */
const struct logged_write *log_find(uint64_t address, uint64_t size, uint64_t *before);

/* How many writes are older than all that are still there. */
uint64_t log_lost(void);

#endif
