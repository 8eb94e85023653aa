/* The border to generated code about functions and variables that the link of an image, or the
 * dynamic linker, did not settle. */
#ifndef WHENCE_LINK_H
#define WHENCE_LINK_H

#include <stddef.h>
#include <stdint.h>

/* What an image was linked without, because its compiler had removed every use of it: a stand-in
 * (whence.engines.native.unreached). */
struct unlinked {
    const char *symbol; /* as linkers spell it */
    const char *name;   /* as people do */
    const char *image;  /* the file that was linked without it */
};

/* The function, if an image that is loaded by now exports it. Otherwise the process ends with a
 * sentence: no result that could be made up would be the function's. */
void *__whence_unlinked_function(const struct unlinked *what);

/* Closes the memory that stands for a variable, so that no access to it passes. */
void __whence_unlinked_variable(const struct unlinked *what, char *begin, size_t size);

/* The words of an image's functions (whence.abi.entered), from its first constructor on until its
 * last destructor has run. */
void __whence_entered(const uint64_t *begin, const uint64_t *end);
void __whence_entered_end(const uint64_t *begin);
/* Stands for a function that is not part of the code, because an earlier run did not enter it. */
void __whence_not_entered(const char *name);

/* A function that a resolver chooses (whence.instrument.calls.indirect). */
struct indirect_function {
    void *target;
    void *(*resolver)(void); /* NULL: the choice is made */
};

/* Makes the choice. */
void __whence_resolve(struct indirect_function *each);

/* Where a call goes that comes before the choice; the struct is in r11. Makes it, and goes on. */
void __whence_first_call(void);

#endif
