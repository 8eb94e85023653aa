/* What leak checks have told already. */
#ifndef WHENCE_LEAK_TOLD_H
#define WHENCE_LEAK_TOLD_H

#include <stdint.h>

/* Whether a rule speaks of a block for the first time. The last check (WH_CHECK_END)
 * is not remembered. Under the search lock. */
int told_first_time(uint64_t rule, uint64_t block_id, uint32_t check);

#endif
