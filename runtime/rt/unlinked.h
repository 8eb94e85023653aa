/* What an image was linked without, because its compiler had removed every use of it.
 *
 * Instrumented code keeps more of a program than its compiler did. Where it refers to something
 * that the link of the image never needed, the new link has a stand-in. */
#ifndef WHENCE_RT_UNLINKED_H
#define WHENCE_RT_UNLINKED_H

#include "../os/mem.h"

/* A stand-in, as generated code describes it. */
struct unlinked {
    const char *symbol; /* as linkers spell it */
    const char *name;   /* as people do */
    const char *image;  /* the file that was linked without it */
};

/* The function, if an image that is loaded by now exports it. Otherwise the process ends with a
 * sentence: no result that could be made up would be the function's. */
WH_EXPORT void *__whence_unlinked_function(const struct unlinked *what);
/* Closes the memory that stands for a variable, so that no access to it passes. */
WH_EXPORT void __whence_unlinked_variable(const struct unlinked *what, char *begin, size_t size);
/* Ends the process with a sentence if the address lies in memory that stands for a variable. */
void unlinked_refuse(uintptr_t address);

#endif
