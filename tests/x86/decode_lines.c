/* Decodes instructions, one a line in hexadecimal digits; prints, for each, its length, kind and
 * memory operands: segment base index scale displacement width access, and p for a part, v for a
 * vector. */
#include "x86/x86.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned bytes_of(const char *line, uint8_t *code) {
    unsigned size = 0, byte;
    while (size < 32 && sscanf(line + 2 * size, "%2x", &byte) == 1) code[size++] = (uint8_t)byte;
    return size;
}

static void print_memory(const struct x86_memory *memory) {
    static const char *segments[] = {"-", "fs", "gs"};
    printf(" [%s %d %d %d %" PRId64 " %d %d %s%s%s]", segments[memory->segment], memory->base,
           memory->index == X86_NO_REGISTER ? -1 : memory->index, memory->scale,
           memory->displacement, memory->width, memory->access, memory->partial ? "p" : "",
           memory->vector ? "v" : "", memory->narrow ? "n" : "");
}

int main(void) {
    char line[128];
    while (fgets(line, sizeof line, stdin)) {
        uint8_t code[32];
        unsigned size = bytes_of(line, code);
        uint8_t *exact = malloc(size + !size); /* so that a read behind it is seen */
        struct x86_instruction instruction;
        memcpy(exact, code, size);
        x86_decode(exact, size, &instruction);
        free(exact);
        printf("%d %d", instruction.length, instruction.kind);
        for (unsigned i = 0; i < instruction.memories; i++) print_memory(&instruction.memory[i]);
        putchar('\n');
    }
    return 0;
}
