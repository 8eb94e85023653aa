/* A module as objects carry it: compressed bitcode behind a header that says where it came from. */
#ifndef WHENCE_LAUNCHER_CC_MODULE_H
#define WHENCE_LAUNCHER_CC_MODULE_H

#include "blob.h"
#include "line.h"

/* Whether a module's header can say all of this: its text is ASCII. */
int module_can_say(const struct line *line, const struct plan *plan, const char *cwd);

/* 0 if memory runs out. */
int module_pack(struct blob *blob, const uint8_t *bitcode, size_t size, const struct line *line,
                const struct plan *plan, const char *cwd);

#endif
