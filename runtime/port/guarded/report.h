/* Stacks as text, for processes without a launcher that could symbolise them. */
#ifndef WHENCE_PORT_REPORT_H
#define WHENCE_PORT_REPORT_H

#include <stdint.h>

/* One line on standard error for each return address of a stack. */
void report_frames(const uint64_t *pcs, unsigned count);

#endif
