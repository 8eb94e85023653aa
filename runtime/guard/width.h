/* How many bytes of memory an instruction accesses. */
#ifndef WHENCE_GUARD_WIDTH_H
#define WHENCE_GUARD_WIDTH_H

#include <stdint.h>

struct access_shape {
    unsigned width;    /* bytes of one access; 0: not known here */
    unsigned length;   /* of a repeated string instruction, else 0 */
    uint8_t operation; /* of those: the opcode without its lowest bit, 0xa4 movs, 0xaa stos */
};

/* `code` has `size` bytes that can be read. */
struct access_shape width_of(const uint8_t *code, unsigned size);

#endif
