/* Where inputs come from: files by their descriptors, arguments and variables of the environment.
 */
#ifndef WHENCE_ORIGINS_SOURCES_H
#define WHENCE_ORIGINS_SOURCES_H

#include <stddef.h>
#include <stdint.h>
#include "../os/ends.h"
#include "../os/os.h"
#include "whence_abi.h"

#define SOURCE_NAME 256u

/* What becomes of a row that is never free again. */
enum { ROW_FREE, ROW_BEGUN, ROW_KNOWN };

struct source {
    uint64_t kind, number;
    struct os_identity identity;
    struct os_ends ends; /* what the file is for those who write to it, and who read from it */
    /* Of a file without places: how many bytes were read so far, if that is known, and written; and
     * the digest of the first `digested` that were read. */
    uint64_t taken, given, digest, digested;
    char name[SOURCE_NAME];
    uint32_t state;
};

struct source *source_at(uint32_t number);

/* The number of a source, 0 if there is no room. file: of a descriptor; name: of a variable. */
uint32_t source_find(const struct source *wanted, int file, const char *name, size_t length);
uint32_t source_of_file(int file, const struct os_identity *identity);

/* Bytes of a file: from `offset` on, WH_INPUT_NOWHERE if that is not known. */
struct input_bytes {
    uint32_t source;  /* 0: unknown */
    uint32_t channel; /* of a file without places; 0: it has some */
    int is_part;      /* of a read from one: not known by what was sent */
    uint64_t offset, size;
};

/* The bytes that a read of an open file has given: from `place` on, or, if that is
 * WH_INPUT_NOWHERE, those before its place. */
struct input_bytes source_read(int file, uint64_t place, uint64_t size);

/* Of a file without places, as a pipe: as if so many bytes had been read from it, or, if they are
 * negative, had been put back. */
void source_count(int file, int64_t size);

/* Of a file without places: nobody knows how many bytes have been read from it. */
void source_lose_count(int file);

/* Where bytes are for those who read them: a file, and an offset, in one without places counted as
 * far as this process has written to it. */
struct source_place {
    uint64_t device, number, offset;
};

/* Where so many bytes are that were written to an open file: from `place` on, or, if that is
 * WH_INPUT_NOWHERE, those before its place. 0: it is not known, or no other process reads them. */
int source_sent(int file, uint64_t place, uint64_t size, struct source_place *to);

#endif
