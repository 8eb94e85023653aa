/* A test in KLEE's format, which the variable KTEST_FILE names: where no path is explored, memory
 * that the program makes symbolic has its bytes. */
#ifndef WHENCE_SYMBOLIC_STORED_H
#define WHENCE_SYMBOLIC_STORED_H

#include <stddef.h>

/* Copies the bytes of the first object of the name that was not taken yet; without one, memory
 * stays as it is. */
void stored_take(void *at, size_t size, const char *name);

/* Whether the test has an object of the name. */
int stored_has(const char *name);

#endif
