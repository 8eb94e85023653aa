/* The side of the program in an execution by the tool (src/whence/engines/binary/tool/).
 *
 * The tool looks at the state byte of each access of the code that is translated after
 * observed_begin(), except in what is told apart: the C library, the loader and the runtime. Where
 * an access is wrong, the program gets SIGSEGV before it is made, and the handler asks which it
 * was. */
#ifndef WHENCE_OBSERVED_OBSERVED_H
#define WHENCE_OBSERVED_OBSERVED_H

#include <stdint.h>

/* Every image that is loaded is told apart, or its calls are led to the wrappers; then the tool
 * begins to look. */
void observed_begin(void);
/* Judges an access that the tool refused, or takes in code that it does not know; 1 if the signal
 * was one of these, whose instruction runs again. */
int observed_fault(int number, void *machine);

/* Has the tool follow undefined values, if rules judge them. */
void observed_follow(void);

/* ---- values.c ---- */

/* The undefined bits of bytes, without where they come from: around stores that are not to count as
 * the program's. */
void observed_read_bits(uintptr_t address, uint64_t size, uint8_t *bits);
void observed_write_bits(uintptr_t address, uint64_t size, const uint8_t *bits);

/* The origin that a tag of the tool stands for. */
uint64_t observed_origin(uint32_t tag);

/* ---- calls.c ---- */

struct dl_phdr_info;
/* Leads an image's calls of library functions to their wrappers; 0 if the loader has not stored all
 * addresses yet. */
int calls_lead(const struct dl_phdr_info *info);

#endif
