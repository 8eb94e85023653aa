// The table of long options has no last row, which getopt_long looks for.
// Memcheck misses this: it knows no variables
// RUN: args --size=4 --nothing
#include <getopt.h>
#include <stdio.h>

static int verbose;

static const struct option options[] = {
    {"size", required_argument, NULL, 's'},
    {"verbose", no_argument, &verbose, 1},
};

int main(int argc, char **argv) {
    int letter, wrong = 0;
    opterr = 0;
    while ((letter = getopt_long(argc, argv, "s:", options, NULL)) != -1) // EXPECT global-buffer-overflow read 32 block 64 after 0 in getopt_long
        wrong += letter == '?';
    printf("%d %d\n", wrong, verbose);
    return 0;
}
