/* Reserving the address ranges of the allocator when the process starts. */
#ifndef WHENCE_ALLOC_RESERVE_H
#define WHENCE_ALLOC_RESERVE_H

/* Reserves the heap and the block table, with the sizes that the options give. Calls port_no_range
 * for a range that cannot be reserved. */
void reserve_heap(void);

#endif
