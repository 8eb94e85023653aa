// Code of .preinit_array, which runs before all constructors, fills a block.
#include <stdio.h>
#include <stdlib.h>

static int *kept;

static void early(int argc, char **argv, char **envp) {
    (void)argv, (void)envp;
    kept = malloc(4 * sizeof *kept);
    for (int i = 0; i < 4; i++)
        kept[i] = argc + i;
}

__attribute__((section(".preinit_array"), used)) static void (*entry)(int, char **, char **) = early;

int main(void) {
    printf("%d\n", kept[0]);
    free(kept);
    return 0;
}
