/* The processor of a process that runs one path after the other. It takes turns with the driver, so
 * it may be asked to stay on the driver's processor. No path sees that, nor do processes and
 * threads that a path starts. */
#ifndef WHENCE_SYMBOLIC_PROCESSOR_H
#define WHENCE_SYMBOLIC_PROCESSOR_H

#include <stdint.h>

/* Stays on a processor, by its number plus 1; 0: on any that it may have. */
void processor_stay(uint32_t processor);
/* It has the processors again that it was started with. */
void processor_free(void);
/* The same, from now on: a path asks which processors it has. */
void processor_free_for_good(void);

#endif
