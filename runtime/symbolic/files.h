/* Reads of symbolic files. */
#ifndef WHENCE_SYMBOLIC_FILES_H
#define WHENCE_SYMBOLIC_FILES_H

#include <stdint.h>

/* A system call has read `size` bytes of a descriptor from an offset on. Where no model sees them,
 * code that follows no expressions has got them: those of a symbolic file are bound. */
void files_unseen(int file, uint64_t offset, uint64_t size);

#endif
