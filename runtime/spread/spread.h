/* malloc of a spread KDAlloc heap, preloaded into programs as they are: the addresses of a recorded
 * exploration (Schemmel et al., ISSTA 2023, section 3), or red zones of gigabytes for any program.
 *
 * The heap is configured by WHENCE_KDALLOC, "begin:size:quarantine:red zone:bin:bin:…"
 * (whence.engines.replay); without it, the paper's heap where the system likes. Nothing is checked:
 * what is not a live block is not freed.
 */
#ifndef WHENCE_SPREAD_SPREAD_H
#define WHENCE_SPREAD_SPREAD_H

#include "../alloc/kdalloc.h"
#include "../os/text.h"
#include "whence_abi.h"

/* Where the program's blocks live; made at the first use. */
struct kd_state *spread_state(void);

/* Reads the heap of a configuration. 0 on a mistake, which *error then describes. */
int spread_parse(const char *text, size_t length, struct kd_config *into, struct text *error);

unsigned spread_bins(void);

/* Frees what is a live block, and gives its pages back: of a large one at once, of the others when
 * enough of them are superfluous (alloc/kd/release.h). */
void spread_free(uint64_t begin);

/* Around fork. */
void spread_lock(void);
void spread_unlock(void);

#endif
