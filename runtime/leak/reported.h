/* The blocks that leak checks have reported. */
#ifndef WHENCE_LEAK_REPORTED_H
#define WHENCE_LEAK_REPORTED_H

#include <stdint.h>

/* Whether a rule reports a block for the first time. The last check (WH_CHECK_END)
 * is not stored. The caller holds the search lock. */
int reported_first_time(uint64_t rule, uint64_t block_id, uint32_t check);

#endif
