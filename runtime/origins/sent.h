/* What the process sends to others, through pipes, sockets and files: which bytes, and the chains
 * of their values, in a file of its own beside the record (whence.abi.sent). */
#ifndef WHENCE_ORIGINS_SENT_H
#define WHENCE_ORIGINS_SENT_H

#include "given.h"

/* A call at a site, or of other code (NULL), has sent the bytes at `from` to an open file: from an
 * offset on, or, if that is WH_INPUT_NOWHERE, up to its place. */
void sent_to(struct whence_origin_site *call, int file, uint64_t offset, const void *from,
             uint64_t size);

/* The same of bytes that no memory of the program holds, as a formatted text; node: of the value
 * that they are, or 0. */
void sent_made(struct whence_origin_site *call, int file, uint64_t offset, const void *bytes,
               uint64_t size, uint32_t node);

#endif
