/* Changes of inputs. */
#ifndef WHENCE_FUZZ_CHANGE_H
#define WHENCE_FUZZ_CHANGE_H

#include <stdint.h>

/* The input becomes the base as it is. */
void change_nothing(void);
/* The base with the changes of the step with this number. */
void change_by_step(uint64_t number);
/* The base with changes by chance. */
void change_by_chance(void);

#endif
