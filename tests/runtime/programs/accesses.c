#include "common.h"
static char global[64];
NOINLINE static void touch(char *p, char *root, int size, int write) {
    if (write)
        STORE(p, root, size);
    else
        LOAD(p, root, size);
}
int main(int argc, char **argv) {
    char *a = malloc(20), *b = malloc(20), *dead = malloc(20), *big = malloc(5000000),
         *none = malloc(0);
    free(dead);
    printf("%p %p %p %p %p\n", (void *)a, (void *)b, (void *)dead, (void *)big, (void *)none);
    if (IS("in")) {
        for (int i = 0; i <= 16; i++) touch(a + i, a, 4, 1);
        touch(big, big, 8, 0);
        touch(big + 4999992, big, 8, 1);
        touch(global, global + 1000000, 8, 0);
        touch((char *)&argc, (char *)&argc, 4, 0);
    }
    if (IS("after")) touch(a + 20, a, 4, 1);
    if (IS("partly")) touch(a + 17, a, 4, 0);
    if (IS("before")) touch(a - 1, a, 1, 0);
    if (IS("before-rootless")) touch(b - 1, b - 1, 1, 0);
    if (IS("into-another")) touch(a + (b - a), a, 1, 1);
    if (IS("onto-the-stack")) touch(a + ((char *)&argc - a), a, 1, 1);
    if (IS("dangling")) touch(dead + 3, dead, 1, 0);
    if (IS("dangling-rootless")) touch(dead + 3, dead + 3, 1, 0);
    if (IS("stale-difference")) touch(dead + (b - dead), dead, 1, 0);
    if (IS("from-the-end")) touch(a + 19, a + 20, 1, 0);
    if (IS("null")) touch((char *)24, (char *)24, 4, 0);
    if (IS("empty")) touch(none, none, 1, 0);
    if (IS("big-after")) touch(big + 5000000, big, 1, 0);
    if (IS("big-before")) touch(big - 1, big, 1, 0);
    if (IS("big-far")) touch(big + 6000000, big, 1, 0);
    if (IS("big-dangling")) {
        free(big);
        touch(big + 2500000, big, 1, 0);
    }
    free(a);
    free(b);
    free(big);
    free(none);
    return 0;
}
