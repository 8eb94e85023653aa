/* The objects of the test that a variable names. The file stays in memory. */
#include "test.h"
#include "../symbolic/ktest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ktest test;

static void read_test(const char *path) {
    FILE *file = path ? fopen(path, "rb") : NULL;
    char *bytes = NULL;
    size_t size = 0;
    if (file) {
        if (!fseek(file, 0, SEEK_END)) {
            long end = ftell(file);
            rewind(file);
            bytes = end > 0 ? malloc((size_t)end) : NULL;
            size = bytes ? fread(bytes, 1, (size_t)end, file) : 0;
        }
        fclose(file);
    }
    ktest_read(&test, bytes, size);
}

void __whence_test_take(void *at, size_t size, const char *name) {
    if (!test.is_read) read_test(getenv(KTEST_VARIABLE));
    struct ktest_part data = ktest_take(&test, name, size);
    memcpy(at, data.bytes, data.size);
}
