/* The record of a link, with which it can be repeated; that of `whence.toolchain.record`. */
#ifndef WHENCE_LAUNCHER_CC_RECORD_H
#define WHENCE_LAUNCHER_CC_RECORD_H

#include "blob.h"
#include "line.h"

/* Whether a record, and warnings, can say all of this: its text is ASCII, no library in a folder
 * of the line is an archive, and the output's path needs no escapes. */
int record_can_say(const struct line *line);

/* The record of the link of one source. type: the output's, ET_*. digest: the module's. 0 if
 * memory runs out. */
int record_pack(struct blob *blob, unsigned type, const char *digest, const struct line *line,
                const struct plan *plan, const char *cwd);

#endif
