/* The little that a unit test in C needs. The first comment of each test file
 * names the modules that it is linked with. */
#ifndef WHENCE_UNIT_H
#define WHENCE_UNIT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    do                                                                                             \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);              \
            exit(1);                                                                               \
        }                                                                                          \
    while (0)

#define CHECK_EQUAL(actual, expected)                                                              \
    do {                                                                                           \
        unsigned long long actual_value = (unsigned long long)(actual);                            \
        unsigned long long expected_value = (unsigned long long)(expected);                        \
        if (actual_value != expected_value) {                                                      \
            fprintf(stderr, "%s:%d: %s is %#llx, expected %#llx\n", __FILE__, __LINE__, #actual,   \
                    actual_value, expected_value);                                                 \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* The same numbers in every run. */
static uint64_t unit_state = 88172645463325252ull;
static inline uint64_t unit_random(void) {
    unit_state ^= unit_state << 13;
    unit_state ^= unit_state >> 7;
    unit_state ^= unit_state << 17;
    return unit_state;
}

static inline uint64_t unit_below(uint64_t limit) { return unit_random() % limit; }

#endif
