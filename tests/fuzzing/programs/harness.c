/* A harness of libFuzzer: its input has a beginning, and an end that is not looked at. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static int prepared;

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count, (void)arguments;
    prepared = 1;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!prepared || size < 4 || memcmp(data, "FUZZ", 4)) return 0;
    return data[size - LAST] == 'x';
}
