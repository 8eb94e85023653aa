/* Tests of explorations, for programs that run without whence. */
#ifndef WHENCE_TEST_H
#define WHENCE_TEST_H

#include <stddef.h>

/* Fills memory from the next object of that name, if there is a test and it has one. */
void __whence_test_take(void *at, size_t size, const char *name);

#endif
