// Numbers in text without a final zero go on to the end of their blocks.
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
    char *whole = block_of("  1234"), *prefix = block_of("0x"), *sign = block_of(" -"),
         *real = block_of("12.5e+");
    char *end;
    long sum = strtol(whole, NULL, 10); // EXPECT heap-buffer-overflow
    sum += strtol(prefix, &end, 0); // EXPECT heap-buffer-overflow
    sum += strtol(sign, NULL, 10);  // EXPECT heap-buffer-overflow
    sum += (long)strtod(real, &end); // EXPECT heap-buffer-overflow
    free(whole);
    free(prefix);
    free(sign);
    free(real);
    return sum < 0;
}
