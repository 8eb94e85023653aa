/* KDAlloc: addresses as a pure function of the requests (Schemmel et al., ECOOP 2022 and ISSTA
 * 2023).
 *
 * A *space* is a configuration and the address ranges of its regions. A
 * *state* is one allocator over them: which blocks live where. States of a
 * space know nothing of each other, so two of them may hand out the same
 * address; each belongs to one path of execution. kd_clone copies a state in
 * O(bins) and shares what neither changes.
 *
 * A region is cut into *bins*, one a slot size, and, in the spread layout, the
 * bin of large blocks behind them:
 *
 *     spread    slot n of a bin is the (n+1)-th node of its region halved again
 *               and again: 1/2, then 1/4 3/4, then 1/8 7/8 3/8 5/8, ... Each
 *               layer is folded, so that neighbours in time are far apart. A
 *               large block goes to the middle of the largest gap.
 *     compact   slot n of a bin lies n slots behind the begin of its region:
 *               the address map of the checked process (whence.abi.layout).
 *
 * A slot goes round in one direction:
 *
 *     uncut -> live -> held (the quarantine, first in, first out) -> free -> live
 *
 * and a request takes the free slot of lowest n, or cuts the next one.
 *
 * Invariants:
 *   - equal requests to equal states give equal addresses;
 *   - two blocks that are live or held are at least `red_zone` bytes apart, and
 *     so is every block from the ends of its region;
 *   - slot 0 of a compact bin and the begin of a spread bin hold no block;
 *   - nothing is stored in the memory that is handed out: it need not even be
 *     mapped (KD_UNMAPPED).
 *
 * All calls may be made by any thread; a space has one lock. The thread-cached
 * heap of checked processes is heap.h: the same compact bins and placement with
 * books of its own (docs/allocator.md).
 */
#ifndef WHENCE_ALLOC_KDALLOC_H
#define WHENCE_ALLOC_KDALLOC_H

#include <stddef.h>
#include <stdint.h>

enum kd_region { KD_CONSTANTS, KD_GLOBALS, KD_HEAP, KD_STACK, KD_REGIONS };
enum kd_layout { KD_SPREAD, KD_COMPACT };

enum kd_access {
    KD_UNMAPPED,  /* addresses only: every region's begin must be given */
    KD_RESERVED,  /* nobody else gets the range; touching it traps */
    KD_READ_WRITE /* the same, usable, without backing until touched */
};

#define KD_QUARANTINE_UNLIMITED (-1) /* no address is ever used again */
#define KD_BINS_MOST 40u
#define KD_SIZE_MOST (80ull << 40) /* all regions together, in bytes */

struct kd_region_config {
    uint64_t begin;     /* a multiple of 4096; 0: the system chooses */
    uint64_t size;      /* bytes, a multiple of 4096; 0: no such region */
    int32_t quarantine; /* freed blocks held back in each bin; 0 none, -1 unlimited */
    uint32_t unused;
};

struct kd_config {
    uint32_t layout; /* enum kd_layout */
    uint32_t access; /* enum kd_access */
    uint64_t red_zone;
    /* Running the release policy (kd_use_ends): least superfluous pages, 0 never. */
    uint64_t release_pages;
    /* ... and least multiple of the average number of pages in use. */
    uint32_t release_factor;
    uint32_t bins;                    /* how many of bin_sizes; spread only */
    uint64_t bin_sizes[KD_BINS_MOST]; /* ascending; spread only */
    struct kd_region_config regions[KD_REGIONS];
};

enum kd_status {
    KD_OK,
    KD_BAD_CONFIG,    /* kd_open: see its sentence */
    KD_NO_REGION,     /* the space has no such region */
    KD_BAD_ALIGNMENT, /* not a power of two */
    KD_TOO_LARGE,     /* no block of this size fits the layout */
    KD_REGION_FULL,   /* no slot or gap is left */
    KD_NO_MEMORY,     /* none for the books, or the system gave no mapping */
    KD_NOT_A_BLOCK,   /* the address was never handed out */
    KD_NOT_BEGIN,     /* inside a live block, but not its begin */
    KD_NOT_LIVE,      /* the block has been freed before */
};

/* What an address is. Everything but `outside` describes the slot or gap it lies in. */
enum kd_kind {
    KD_OUTSIDE,     /* in none of the regions */
    KD_UNUSED,      /* no block was ever here, as far as the state remembers */
    KD_LIVE,        /* the slot's block is live */
    KD_QUARANTINED, /* freed, and not yet to be used again */
    KD_FREE,        /* freed; the next request may get the slot */
};

struct kd_location {
    uint32_t kind;   /* enum kd_kind */
    uint32_t region; /* enum kd_region */
    uint32_t bin;    /* below kd_bins(); the last one is that of large blocks, if there is one */
    uint32_t inside; /* the address is one of the block's bytes */
    uint64_t index;  /* n of the slot; of a large block its serial number; both stay below `cut` */
    uint64_t slot;   /* first address of the slot; for large blocks of their pages */
    uint64_t room;   /* bytes from there to the next slot's place in the layout */
    uint64_t begin;  /* of the block; the size that was requested */
    uint64_t size;
    uint64_t tag; /* kd_set_tag */
};

struct kd_bin_statistics {
    uint64_t slot;  /* bytes; 0 for large blocks */
    uint64_t begin; /* of the bin's addresses */
    uint64_t size;
    uint64_t cut; /* slots, or large blocks, ever begun: all indices are below */
    uint64_t live, held, free;
    uint64_t live_bytes; /* as requested */
};

struct kd_statistics {
    uint64_t book_bytes; /* what the books of all states of the space take */
    uint64_t states;
    uint64_t releases;      /* of physical pages */
    uint64_t average_pages; /* in use; see kd_use_ends */
    uint64_t backed_pages;
};

struct kd_space;
struct kd_state;

/* The sizes of the structures above, one after the other, 16 bits each: config, location,
 * bin_statistics, statistics. For callers that are compiled apart. */
uint64_t kd_layout_of_structures(void);

/* ---- spaces ---- */

/* The paper's sizes and bins (1 4 8 16 32 64 256 2048), or the address map of checked processes
 * with a heap only. Quarantine 8. */
void kd_defaults(enum kd_layout layout, struct kd_config *out);

/* NULL, with a sentence in `why`, if the configuration or the system does not allow it. */
struct kd_space *kd_open(const struct kd_config *config, char *why, size_t why_size);
/* Gives all address ranges and books back; its states are gone, too. */
void kd_close(struct kd_space *space);

/* The configuration in effect, with the begins that the system has chosen. */
void kd_configuration(const struct kd_space *space, struct kd_config *out);
/* "heap (start-address=0x… size=1024 GiB)"; the length as of snprintf. */
size_t kd_describe(const struct kd_space *space, enum kd_region region, char *out, size_t size);
void kd_space_statistics(struct kd_space *space, struct kd_statistics *out);
const char *kd_sentence(enum kd_status status);

/* ---- states ---- */

/* NULL if there is no memory for it. */
struct kd_state *kd_new(struct kd_space *space);
struct kd_state *kd_clone(struct kd_state *state);
void kd_drop(struct kd_state *state);

/* ---- blocks ---- */

/* A new block's begin, a multiple of `alignment` (a power of two). Size 0 is a block without bytes
 * and an address of its own. */
enum kd_status kd_allocate(struct kd_state *state, enum kd_region region, uint64_t size,
                           uint64_t alignment, uint64_t *begin);
enum kd_status kd_free(struct kd_state *state, uint64_t address);
/* Frees the block and makes one of count * size bytes: always elsewhere, so that stale pointers
 * are found. The caller copies the contents. If it fails, nothing has changed. */
enum kd_status kd_reallocate(struct kd_state *state, uint64_t address, uint64_t count,
                             uint64_t size, uint64_t alignment, uint64_t *begin);
/* Bytes of a live block that begins here, 0 otherwise: what malloc_usable_size says. */
uint64_t kd_size(struct kd_state *state, uint64_t address);
/* A word of the caller's own, kept until the slot is used again. */
enum kd_status kd_set_tag(struct kd_state *state, uint64_t address, uint64_t tag);

void kd_locate(struct kd_state *state, uint64_t address, struct kd_location *out);
/* The same of the block that is nearest, live before freed if both are equally near;
 * KD_OUTSIDE or KD_UNUSED if there is none in the bin. */
void kd_nearest(struct kd_state *state, uint64_t address, struct kd_location *out);
/* Blocks in order of bin and index that are live (or KD_QUARANTINED, KD_FREE; KD_UNUSED: any).
 * *cursor starts at 0; returns 0 at the end. */
int kd_next(struct kd_state *state, enum kd_region region, enum kd_kind kind, uint64_t *cursor,
            struct kd_location *out);

/* Bins of a region, the one for large blocks included. */
unsigned kd_bins(const struct kd_space *space);
void kd_bin_statistics(struct kd_state *state, enum kd_region region, unsigned bin,
                       struct kd_bin_statistics *out);

/* Around fork: no call is half done in the child. */
void kd_lock(struct kd_space *space);
void kd_unlock(struct kd_space *space);

/* ---- physical pages ---- */

/* Of a KD_READ_WRITE space: gives the pages of those of these blocks back that are not live and
 * share no page with another slot. Their contents are gone then. */
void kd_discard(struct kd_state *state, const uint64_t *begins, size_t count);

/* Around each time that memory of the regions is really used, as exploration does for a call
 * into native code, with the contents kept elsewhere. kd_use_ends gives all pages back, and
 * returns 1, once at least release_pages of the backed ones are superfluous and all the backed
 * ones are release_factor times the running average of `pages` (those that were needed). */
void kd_use_begins(struct kd_space *space);
int kd_use_ends(struct kd_space *space, uint64_t pages);

#endif
