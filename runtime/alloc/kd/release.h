/* When to give physical pages back (Schemmel et al., ISSTA 2023, section 2): once enough of those
 * that are backed are superfluous, in number and against what is usually needed. */
#ifndef WHENCE_ALLOC_KD_RELEASE_H
#define WHENCE_ALLOC_KD_RELEASE_H

#include <stdint.h>

#define RELEASE_PAGES 1024u
#define RELEASE_FACTOR 2u

/* pages and factor are set by the owner; the rest starts as zero. */
struct release {
    uint64_t pages;     /* least number of superfluous ones; 0: never */
    uint64_t factor;    /* least multiple of the average that is backed */
    uint64_t uses, sum; /* of the last RELEASE_WINDOW uses at most; older ones fade */
    uint64_t backed, faults, releases;
};

/* Uses that the average remembers. */
#define RELEASE_WINDOW 16u

static inline uint64_t release_average(const struct release *release) {
    return release->uses ? release->sum / release->uses : 0;
}

/* A use of `needed` pages is over and `backed` ones are resident: whether to give them back. */
static inline int release_due(struct release *release, uint64_t needed, uint64_t backed) {
    if (release->uses == RELEASE_WINDOW)
        release->sum -= release_average(release);
    else
        release->uses++;
    release->sum += needed;
    uint64_t superfluous = backed > needed ? backed - needed : 0;
    return release->pages && superfluous >= release->pages &&
           backed >= release->factor * release_average(release);
}

#endif
