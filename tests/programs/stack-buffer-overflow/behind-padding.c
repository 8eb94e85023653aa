// A local array is overrun in a function that has loaded undefined padding before.
// RUN: options --enable use-of-uninitialized-value
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct header {
    char version;
    int length;
};

__attribute__((noinline)) static uint64_t read_all(const struct header *header, const char *name) {
    char text[12];
    uint64_t word;
    memcpy(&word, header, sizeof word);
    word = (word & 0xffffffff000000ffull) * 3;
    for (size_t i = 0; i <= strlen(name); i++)
        text[i] = name[i]; // EXPECT stack-buffer-overflow write 1 block 12 after 0
    return word + (uint64_t)text[1];
}

int main(int argc, char **argv) {
    struct header *header = malloc(sizeof *header);
    header->version = 1;
    header->length = argc;
    printf("%d\n", read_all(header, "twelve bytes") != 0);
    (void)argv;
    free(header);
    return 0;
}
