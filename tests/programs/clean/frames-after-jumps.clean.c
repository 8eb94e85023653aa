// A function has variables where one that longjmp has left had its own, and others where that one
// had the gap above them.
#include <alloca.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static jmp_buf back;
static int *kept;
static volatile int zero;

__attribute__((noinline)) static void keeps(int *p) {
    kept = p;
    if (!zero) longjmp(back, 1);
}

__attribute__((noinline)) static void leaves(void) {
    int outlives = 1;
    keeps(&outlives);
    printf("%d\n", outlives);
}

__attribute__((noinline)) static void fills(char *p, size_t n) { memset(p, 1 + zero, n); }

// Leaves closed memory behind at many places.
__attribute__((noinline)) static int litter(int depth) {
    char text[40];
    fills(text, sizeof text);
    return depth ? litter(depth - 1) + text[depth % 40] : text[0];
}

/* Frames of many sizes: one of them begins where a frame began that was left. */
#define USES(size)                                                                                 \
    __attribute__((noinline)) static long uses_##size(int which) {                                 \
        volatile char wide[size];                                                                  \
        long mine = which, theirs = 2;                                                             \
        char text[24];                                                                             \
        wide[0] = wide[size - 1] = which;                                                          \
        fills((char *)wide, 1);                                                                    \
        fills(text, sizeof text);                                                                  \
        long sum = text[which] + wide[0] + wide[size - 1];                                         \
        for (int i = 0; i < 2; i++) {                                                              \
            long *from = &mine;                                                                    \
            if ((which + i) & 1) from = &theirs;                                                   \
            fills((char *)&theirs, sizeof theirs);                                                 \
            sum += *from;                                                                          \
        }                                                                                          \
        return sum;                                                                                \
    }

#define ALL(do)                                                                                    \
    do                                                                                             \
    (7456) do(7472) do(7488) do(7504) do(7520) do(7536) do(7552) do(7568) do(7584) do(7600) do(    \
        7616) do(7632) do(7648) do(7664) do(7680) do(7696) do(7712)

ALL(USES)

#define ADD(size) sum += uses_##size(round & 1);

__attribute__((noinline)) static void leaves_below(int by) {
    volatile char *room = alloca(by + 16);
    room[0] = 1;
    leaves();
}

__attribute__((noinline)) static int litter_below(int by) {
    volatile char *room = alloca(by + 16);
    room[0] = 1;
    return litter(90) + room[0];
}

int main(void) {
    long sum = 0;
    for (int round = 0; round < 8; round++)
        for (int by = 3000; by >= 0; by -= 16) {
            if (!setjmp(back)) leaves_below(by);
            sum += litter_below(by % 256);
            ALL(ADD)
        }
    printf("%ld\n", sum);
    return 0;
}
