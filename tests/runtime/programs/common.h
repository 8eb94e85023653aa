/* Helpers of the integration programs: checks by hand where the instrumentation would put them. */
#ifndef COMMON_H
#define COMMON_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <whence/rules.h>

#define NOINLINE __attribute__((noinline))
#define LOAD(pointer, root, size) __whence_access((uint64_t)(pointer), (uint64_t)(root), (size))
#define STORE(pointer, root, size)                                                                 \
    __whence_access((uint64_t)(pointer), (uint64_t)(root), (size) | WHENCE_DESC_WRITE)
#define IS(name) (argc > 1 && !strcmp(argv[1], name))
#define REQUIRE(condition)                                                                         \
    do                                                                                             \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);              \
            _exit(1);                                                                              \
        }                                                                                          \
    while (0)

#endif
