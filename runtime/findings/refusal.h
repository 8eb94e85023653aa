/* The runtime's own reasons to check nothing, or to check no longer. */
#ifndef WHENCE_FINDINGS_REFUSAL_H
#define WHENCE_FINDINGS_REFUSAL_H

#include "../os/text.h"

/* Tells the report why this process is not checked from now on; it goes on unchecked. Whether there
 * is a report. */
int refusal_tell(const struct text *why);
/* Tells the report and standard error, and ends the process with TEXT_LIMIT_STATUS. */
_Noreturn void refusal_end(const struct text *why);

#endif
