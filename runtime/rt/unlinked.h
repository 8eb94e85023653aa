/* What an image was linked without, because its compiler had removed every use of it.
 *
 * Instrumented code keeps more of a program than its compiler did. Where it refers to something
 * that the link of the image never needed, the new link has a stand-in. */
#ifndef WHENCE_RT_UNLINKED_H
#define WHENCE_RT_UNLINKED_H

#include "../include/whence/link.h"
#include <stdint.h>

/* Ends the process with a sentence if the address lies in memory that stands for a variable. */
void unlinked_refuse(uintptr_t address);

#endif
