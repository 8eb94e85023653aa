/* The objects of a test in KLEE's format, which the variable KTEST_FILE names: numbers are
 * big-endian words of 32 bits. */
#include "test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 4096u

struct part {
    const char *bytes;
    size_t size;
};

static struct object {
    struct part name, data;
    int used;
} objects[MOST];
static uint32_t object_count;
static int is_read;

static char *content(const char *path, size_t *size) {
    FILE *file = path ? fopen(path, "rb") : NULL;
    char *bytes = NULL;
    if (!file) return NULL;
    if (!fseek(file, 0, SEEK_END)) {
        long end = ftell(file);
        rewind(file);
        bytes = end > 0 ? malloc((size_t)end) : NULL;
        *size = bytes ? fread(bytes, 1, (size_t)end, file) : 0;
    }
    fclose(file);
    return bytes;
}

static uint32_t number(struct part *rest) {
    uint32_t value = 0;
    for (int i = 0; i < 4 && rest->size; i++, rest->bytes++, rest->size--)
        value = value << 8 | (uint8_t)*rest->bytes;
    return value;
}

static struct part part(struct part *rest) {
    uint32_t wanted = number(rest);
    struct part found = {rest->bytes, wanted < rest->size ? wanted : rest->size};
    rest->bytes += found.size, rest->size -= found.size;
    return found;
}

/* The file stays in memory. */
static void read_test(void) {
    struct part rest = {NULL, 0};
    is_read = 1;
    rest.bytes = content(getenv("KTEST_FILE"), &rest.size);
    if (!rest.bytes || rest.size < 5 || memcmp(rest.bytes, "KTEST", 5) != 0) return;
    rest.bytes += 5, rest.size -= 5;
    number(&rest);
    for (uint32_t words = number(&rest); words && rest.size; words--) part(&rest);
    number(&rest), number(&rest);
    for (uint32_t count = number(&rest); count-- && rest.size && object_count < MOST;) {
        struct object *object = &objects[object_count++];
        object->name = part(&rest);
        object->data = part(&rest);
    }
}

void __whence_test_take(void *at, size_t size, const char *name) {
    if (!is_read) read_test();
    size_t length = strlen(name);
    for (uint32_t i = 0; i < object_count; i++) {
        struct object *object = &objects[i];
        if (object->used || object->name.size != length) continue;
        if (memcmp(object->name.bytes, name, length) != 0) continue;
        object->used = 1;
        memcpy(at, object->data.bytes, object->data.size < size ? object->data.size : size);
        return;
    }
}
