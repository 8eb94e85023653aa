/* Array cookies. The front end stores the number of an array's elements before the first one, in
 * the block that operator new[] returned, and reads it in delete[]. The program itself must not
 * access it. */
#include "access.h"

static int is_array(struct block block, uintptr_t address) {
    return heap_begins_live(block, address) && block_family(block) == WH_FAMILY_NEW_ARRAY;
}

WH_EXPORT void __whence_cookie(uint64_t address, uint64_t size) {
    struct block block = heap_block(address);
    if (!is_array(block, address) || size > block_size(block) || claimed(address)) return;
    struct block_record *record = block_record(block.region, block.slot);
    plane_set(address, block_cookie(block), WH_STATE_ADDRESSABLE);
    plane_set(address, size, WH_STATE_COOKIE);
    life_set_cookie(record, size != 0);
}

WH_EXPORT void __whence_cookie_read(uint64_t address) {
    struct block block = block_at(address);
    if (block_exists(block) && address - block_begin(block) < block_cookie(block)) return;
    thread_here();
    access_check(address, sizeof(uint64_t), address, 0, NULL, FRAME_HERE);
}
