/* Valgrind's client requests. */
#ifndef WHENCE_INTERFACE_REQUESTS_H
#define WHENCE_INTERFACE_REQUESTS_H

#include <stdint.h>

struct frame;
/* Does what a request asks, whose number and arguments are `words`; its result, or `otherwise` if
 * there is no such request. The stacks that it keeps begin with the frame's return address. */
uint64_t request_answer(const uint64_t *words, uint64_t otherwise, const struct frame *frame);

#endif
