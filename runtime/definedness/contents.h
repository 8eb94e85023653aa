/* Which bytes of new memory are undefined, while that is followed. */
#ifndef WHENCE_VALUES_CONTENTS_H
#define WHENCE_VALUES_CONTENTS_H

#include "../events/events.h"
#include "ranges.h"

/* Of more bytes of a block, only samples are filled: the others count as defined. */
#define CONTENTS_MOST (1ull << 20)

/* Notes once that more bytes are asked for than are followed. */
void contents_limited(uint64_t size);

extern const struct observer values_observer;

#endif
