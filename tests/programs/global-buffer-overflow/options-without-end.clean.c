// The table of long options has the last row that getopt_long looks for.
// RUN: args --size=4 --nothing
#include <getopt.h>
#include <stdio.h>

static int verbose;

static const struct option options[] = {
    {"size", required_argument, NULL, 's'},
    {"verbose", no_argument, &verbose, 1},
    {0},
};

int main(int argc, char **argv) {
    int letter, wrong = 0;
    opterr = 0;
    while ((letter = getopt_long(argc, argv, "s:", options, NULL)) != -1)
        wrong += letter == '?';
    printf("%d %d\n", wrong, verbose);
    return 0;
}
