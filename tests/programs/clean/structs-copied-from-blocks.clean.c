// A local copy of a struct that lies in a block is a block of its own: a check of the copy that is given the source
// (the optimiser does that to arguments that nobody can write) finds an address far from its root.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct set {
    unsigned long words[4];
};

static int contains(unsigned bit, const struct set *set) {
    return set->words[bit / 64] >> bit % 64 & 1;
}

static void add(unsigned bit, struct set *set) {
    set->words[bit / 64] |= 1ul << bit % 64;
}

static size_t copied(const struct set *set, size_t n) {
    struct set away, copy = *set;
    memcpy(&away, &copy, n);
    return away.words[n / 8 - 1];
}

__attribute__((noinline)) static unsigned long count(const struct set *sets, const int *tokens, int n) {
    unsigned long total = 0;
    for (int i = 0; i < n; i++) {
        struct set matches;
        if (tokens[i] < 256) {
            memset(&matches, 0, sizeof matches);
            add(tokens[i], &matches);
        } else {
            matches = sets[tokens[i] - 256];
            total += 100 * contains(97, &matches);
        }
        for (int j = 0; j < 4; j++)
            total += matches.words[j] & 7;
    }
    return total;
}

int main(void) {
    struct set *sets = calloc(4, sizeof *sets);
    int *tokens = calloc(4, sizeof *tokens);
    for (int i = 0; i < 4; i++)
        tokens[i] = i == 1 ? 64 : 256 + i;
    sets[2].words[1] = -1ul;
    unsigned long total = count(sets, tokens, 4);
    total += copied(&sets[2], 16) != -1ul;
    free(tokens);
    free(sets);
    return total != 108;
}
