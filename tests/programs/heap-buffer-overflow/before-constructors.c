// Code of .preinit_array, which runs before all constructors, writes behind a block.
#include <stdio.h>
#include <stdlib.h>

static int *kept;

static void early(int argc, char **argv, char **envp) {
    (void)argv, (void)envp;
    kept = malloc(4 * sizeof *kept); // ALLOC
    for (int i = 0; i <= 4; i++)
        kept[i] = argc + i; // EXPECT heap-buffer-overflow write 4 block 16 after 0
}

__attribute__((section(".preinit_array"), used)) static void (*entry)(int, char **, char **) = early;

int main(void) {
    printf("%d\n", kept[0]);
    free(kept);
    return 0;
}
