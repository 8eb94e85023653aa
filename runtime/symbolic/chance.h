/* Random bytes that are the same on all paths, so that what is computed of them is, too. */
#ifndef WHENCE_SYMBOLIC_CHANCE_H
#define WHENCE_SYMBOLIC_CHANCE_H

#include <stddef.h>

/* 0, and nothing is filled, where no paths are explored. */
int chance_fill(void *to, size_t size);

#endif
