// Code of .preinit_array, which runs before all constructors, branches on memory that it wrote.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <stdlib.h>

static int *kept;

static void early(int argc, char **argv, char **envp) {
    (void)argv, (void)envp;
    kept = malloc(4 * sizeof *kept);
    kept[0] = kept[1] = argc;
    if (kept[1] > 100)
        puts("many");
}

__attribute__((section(".preinit_array"), used)) static void (*entry)(int, char **, char **) = early;

int main(void) {
    printf("%d\n", kept[0]);
    free(kept);
    return 0;
}
