/* Findings that are in the record already.
 *
 * Processes that execute the same program come to the same findings. The first one records them,
 * the others count in its record how often they came again, as each process does for what it meets
 * at one place again.
 */
#ifndef WHENCE_FINDINGS_AGAIN_H
#define WHENCE_FINDINGS_AGAIN_H

#include "../record/record.h"

/* What two findings have in common that are one in the report: the rule, the code, and the stack
 * that tells findings apart, which is that of the allocation for leaks. 0: the code is not known.
 */
uint64_t again_key(const struct wh_finding *head, const uint64_t *stack, const uint64_t *alloc);

/* Adds a finding to the record of an equal one: RECORD_OK, or RECORD_LOST. */
enum record_status again_count(uint64_t offset, const struct wh_finding *head);

/* The finding of a record was met again; 0: it has none. */
void again_met(uint64_t offset);

#endif
