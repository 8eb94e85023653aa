/* long ROUNDS WAY: moves pointers for so many million rounds, then uses a block that was freed.
 *
 * WAY 0: around a ring, 8 accesses of memory a round. WAY 1: to random places, 4 accesses a round, so that each
 * value goes a way of its own. The last line is the peak of resident memory, in KiB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 1024

struct node {
    struct node *next;
    long value;
};

static long around(struct node *ring, unsigned long rounds) {
    struct node *volatile head = ring;
    long total = 0;
    for (unsigned long i = 0; i < rounds; i++) {
        struct node *now = head;
        now->value += (long)(i & 7);
        struct node *next = now->next;
        next->next = next->next;
        head = next;
        total ^= next->value;
    }
    return total;
}

static long shuffled(struct node **places, unsigned long rounds) {
    unsigned long seed = 1;
    for (unsigned long i = 0; i < rounds; i++) {
        seed = seed * 6364136223846793005ul + 1442695040888963407ul;
        struct node **one = &places[seed >> 33 & (NODES - 1)];
        struct node **other = &places[seed >> 48 & (NODES - 1)];
        struct node *kept = *one;
        *one = *other;
        *other = kept;
    }
    return places[0] - places[1];
}

static void print_peak(void) {
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (!strncmp(line, "VmHWM:", 6)) printf("%lu\n", strtoul(line + 6, NULL, 10));
    if (status) fclose(status);
    fflush(stdout);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    unsigned long rounds = strtoul(argv[1], NULL, 10) * 1000000ul;
    struct node *ring = calloc(NODES, sizeof *ring);
    struct node **places = calloc(NODES, sizeof *places);
    if (!ring || !places) return 3;
    for (int i = 0; i < NODES; i++) {
        ring[i].next = &ring[(i * 5 + 1) % NODES];
        places[i] = &ring[i];
    }
    char *cause = malloc(10);
    long total = atoi(argv[2]) ? shuffled(places, rounds) : around(ring, rounds);
    printf("%ld\n", total);
    print_peak();
    if (getenv("CLEAN")) return 0;
    free(ring);
    free(cause);
    return cause[3] + (int)places[7]->value;
}
