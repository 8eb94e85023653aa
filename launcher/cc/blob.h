/* What sections carry: compressed data with its size and digest in front. The format is that of
 * `whence.toolchain.blob`. */
#ifndef WHENCE_LAUNCHER_CC_BLOB_H
#define WHENCE_LAUNCHER_CC_BLOB_H

#include "facts.h"
#include <stdint.h>

struct blob {
    uint8_t *data;
    size_t size;
    char digest[65]; /* digits */
};

/* The data of a blob. */
struct content {
    char magic, level;  /* letters of the plan's lines */
    const char *header; /* text in front of the compressed data, NULL for none */
    int counted;        /* the size of the compressed data is written in front of it */
    const void *data;
    size_t size;
};

/* Loads zlib; 0 if the machine does not have it. */
int blob_prepare(void);

/* 0 if memory runs out. */
int blob_pack(struct blob *blob, const struct plan *plan, const struct content *content);

#endif
