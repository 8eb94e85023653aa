/* What threads return, and whoever joins them gets. */
#ifndef WHENCE_ORIGINS_JOINED_H
#define WHENCE_ORIGINS_JOINED_H

#include <stdint.h>

/* The function that a thread began with has returned a value. thread: its handle. */
void joined_returned(uint64_t thread, uint64_t function, uint64_t value);

/* A thread leaves its functions with a value, which the call in checked code has passed. */
void joined_left(uint64_t thread, uint64_t value);

/* `function`, which checked code has called, has put what a thread returned where `to` points. */
void joined_received(const char *function, uint64_t thread, uintptr_t to);

#endif
