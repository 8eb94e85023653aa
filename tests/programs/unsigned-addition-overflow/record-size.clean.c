// The length is compared with the room behind the header first.
// RUN: options --enable unsigned-addition-overflow
#include <stdint.h>
#include <stdlib.h>

static char *read_record(uint32_t length) {
    uint32_t size = length > 1024 ? 16 : length + 16;
    return malloc(size);
}

int main(int argc, char **argv) {
    (void)argv;
    char *record = read_record(UINT32_MAX - 7u * (uint32_t)argc);
    free(record);
    return record == NULL;
}
