/* A module as objects carry it: compressed bitcode behind a header that says where it came from.
 * The format is that of `whence.toolchain.blob`. */
#ifndef WHENCE_LAUNCHER_CC_MODULE_H
#define WHENCE_LAUNCHER_CC_MODULE_H

#include "line.h"
#include <stdint.h>

struct blob {
    uint8_t *data;
    size_t size;
};

/* Loads zlib; 0 if the machine does not have it. */
int module_prepare(void);

/* Whether a module's header can say all of this: its text is ASCII. */
int module_can_say(const struct line *line, const struct plan *plan, const char *cwd);

/* 0 if memory runs out. */
int module_pack(struct blob *blob, const uint8_t *bitcode, size_t size, const struct line *line,
                const struct plan *plan, const char *cwd);

#endif
