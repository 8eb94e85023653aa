/* Array cookies. The front end stores the number of an array's elements before the first one, in
 * the block that operator new[] returned, and reads it in delete[]. The program itself must not
 * access it. */
#include "access.h"

WH_EXPORT void __whence_cookie(uint64_t address, uint64_t size) {
    struct block block = heap_block(address);
    if (!heap_begins_live(block, address) || block_family(block) != WH_FAMILY_NEW_ARRAY) return;
    if (size <= block_size(block) && !claimed(address)) block_set_cookie(block, size);
}

WH_EXPORT void __whence_cookie_read(uint64_t address) {
    struct block block = block_at(address);
    if (block_exists(block) && address - block_begin(block) < block_cookie(block)) return;
    thread_here();
    access_check(address, sizeof(uint64_t), address, 0, NULL, FRAME_HERE);
}
