/* The filters of system calls (seccomp) that the program has installed, run as the kernel runs
 * them.
 *
 * They are programs of classic BPF, of the operations that seccomp allows, over a struct
 * seccomp_data. What is malformed, which the kernel refuses, answers like a filter that kills.
 */
#ifndef WHENCE_PROCESS_FILTERS_H
#define WHENCE_PROCESS_FILTERS_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

#define FILTERS_MOST 64u
#define FILTERS_CODE 4096u /* instructions of all of them */

/* What one filter answers: SECCOMP_RET_*, with its data. */
uint32_t filters_answer(const struct sock_filter *code, size_t count,
                        const struct seccomp_data *data);

/* Keeps a copy of a filter. Its number from 1 on, 0 if there is no room. */
unsigned filters_keep(const struct sock_filter *code, size_t count);
/* That one was not installed after all. */
void filters_drop(unsigned number);
/* How many are kept. */
unsigned filters_count(void);
/* Whether all filters let the runtime make a call with these six arguments. */
int filters_allow(long number, const uint64_t *words);

#endif
