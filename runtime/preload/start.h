/* What the preloaded library does at its start, beside what every runtime does. */
#ifndef WHENCE_PRELOAD_START_H
#define WHENCE_PRELOAD_START_H

#include <stddef.h>
#include <stdint.h>

/* Reads the variable of the guarded allocator from the environment (as in /proc/self/environ). */
void preload_configure(const char *environment, size_t size);

/* Tells what was chosen at random, and takes the rules that come without generated detectors. */
void preload_begin(void);

/* The addresses could not be had: the program goes on without us. */
void preload_give_way(void);

#endif
