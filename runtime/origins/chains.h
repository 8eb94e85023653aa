/* Texts of chains, for records. */
#ifndef WHENCE_ORIGINS_CHAINS_H
#define WHENCE_ORIGINS_CHAINS_H

#include "../include/whence/rules.h"
#include "../os/text.h"

/* Where the values of an event come from: a line "=role value" for each chain, then a line for each
 * hop, newest first: flags, tag of the thread, text and scope of the site. `library`: a library
 * function does the step, or a free. */
void chains_describe(const struct whence_event *event, const struct whence_block *block,
                     int library, struct text *into);

#endif
