// A table is written in every round, for about a second.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 200, ENTRIES = 16 };

static void fill(long *table, int count) {
    for (int i = 0; i < count; i++) table[i] = i;
}

int main(void) {
    long sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        long *table = malloc(ENTRIES * sizeof *table);
        if (!table) return 1;
        fill(table, ENTRIES);
        sum += table[round % ENTRIES];
        free(table);
        usleep(4000);
    }
    printf("%ld\n", sum);
    return 0;
}
