// Numbers in text without a final zero end before the ends of their blocks.
// RUN: options --keep-going
#include <stdlib.h>
#include <string.h>

static char *block_of(const char *text) {
    size_t length = strlen(text);
    char *block = malloc(length);
    memcpy(block, text, length);
    return block;
}

int main(void) {
    char *whole = block_of("  1234a"), *prefix = block_of("0x"), *sign = block_of(" --"),
         *real = block_of("12.5-");
    char *end;
    long sum = strtol(whole, NULL, 10);
    sum += strtol(prefix, &end, 10);
    sum += strtol(sign, NULL, 10);
    sum += (long)strtod(real, &end);
    free(whole);
    free(prefix);
    free(sign);
    free(real);
    return sum != 1246;
}
