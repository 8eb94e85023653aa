/* Reads of memory that was never written. */
#ifndef WHENCE_RT_READS_H
#define WHENCE_RT_READS_H

#include "event.h"

/* Bytes are about to be read; `library`: the function that reads them for the program, or NULL. */
void read_memory(uintptr_t address, uint64_t size, const char *library, const struct frame *frame);

#endif
