/* The border to generated code that tells of accesses that threads may share (whence.abi.races).
 *
 * Generated code calls these only while __whence_racing is not 0. There are planes only while a
 * rule judges shared accesses.
 */
#ifndef WHENCE_RACES_H
#define WHENCE_RACES_H

#include <stdint.h>
#include "whence_abi.h"

extern uint8_t __whence_racing;

/* `how`: WHENCE_RACE_*. */
void __whence_race_access(uint64_t at, uint64_t size, uint32_t how);
/* The same, of so many bytes. */
void __whence_race_reads1(uint64_t at);
void __whence_race_reads2(uint64_t at);
void __whence_race_reads4(uint64_t at);
void __whence_race_reads8(uint64_t at);
void __whence_race_reads16(uint64_t at);
void __whence_race_writes1(uint64_t at);
void __whence_race_writes2(uint64_t at);
void __whence_race_writes4(uint64_t at);
void __whence_race_writes8(uint64_t at);
void __whence_race_writes16(uint64_t at);
/* After a loop that has accessed `size` bytes in each of its rounds: the first ones at `at`, and
 * each time `step` bytes further, `span` bytes in all (0: in no round). */
void __whence_race_stride(uint64_t at, int64_t span, int64_t step, uint32_t size, uint32_t how);
/* Before an atomic operation, and after one that loads; a fence. */
void __whence_race_before(uint64_t at, uint64_t size, uint32_t how);
void __whence_race_after(uint64_t at, uint32_t how);
void __whence_race_fence(uint32_t how);
/* Before an object is made one of a class, by the address of its table of functions. */
void __whence_race_class(uint64_t at, uint64_t class);
/* Around a call of a function that may not be checked; 0: a call by such a function. */
void __whence_race_leave(uint64_t function);
void __whence_race_return(uint64_t function);

#endif
