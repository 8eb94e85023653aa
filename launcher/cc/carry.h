/* Adding IR, and the record of a link, to what clang wrote. */
#ifndef WHENCE_LAUNCHER_CC_CARRY_H
#define WHENCE_LAUNCHER_CC_CARRY_H

#include "compile.h"

/* Where a command was given. */
struct place {
    const struct plan *plan;
    const struct line *line;
    const char *cwd;
};

/* The contents of a file, NULL if it cannot be read or is empty. */
const uint8_t *contents(int file, size_t *size);

/* Whether the output can carry what there is to say about it. */
int can_carry(const struct place *place, enum line_kind kind);

/* Adds the IR of a successful compilation to an object. What prevents it is a warning. */
void carry_object(const struct compilation *made, const struct place *place);

/* Likewise to the output of a link, with the record of the link. 0, with nothing done, if only
 * Python can: the linker put IR of other modules into it. */
int carry_program(const struct compilation *made, const struct place *place);

#endif
