/* Which records the file has already, so that processes that come to the same write it once.
 *
 * A table behind the records has their offsets, by a hash of what they are known by: the first word
 * of what follows their prefix. An offset is stored by one compare-and-swap once its record is
 * complete, so no process waits for another, and one that is killed leaves nothing half made; two
 * that come to the same at once may both write it. The program may overwrite the table: an offset
 * counts only if the record there is of the wanted type and word.
 */
#ifndef WHENCE_RECORD_KNOWN_H
#define WHENCE_RECORD_KNOWN_H

#include <stdint.h>

struct known {
    uintptr_t file;    /* where the record file is mapped */
    uint64_t capacity; /* bytes of its records, where the table begins; 0: it has no table */
};

/* The offset of a record; 0 if none is known. */
uint64_t known_find(const struct known *known, uint32_t type, uint64_t word);
/* Has others find a complete record. Where the table has no room they will not. */
void known_add(const struct known *known, uint32_t type, uint64_t word, uint64_t offset);

#endif
