/* The objects of a test in KLEE's format, whose numbers are big-endian words of 32 bits. No
 * function calls the C library: code that runs without the runtime has them, too. */
#ifndef WHENCE_SYMBOLIC_KTEST_H
#define WHENCE_SYMBOLIC_KTEST_H

#include <stddef.h>
#include <stdint.h>

#define KTEST_VARIABLE "KTEST_FILE"
#define KTEST_MOST 4096u

struct ktest_part {
    const char *bytes;
    size_t size;
};

struct ktest {
    uint32_t count;
    int is_read;
    struct {
        struct ktest_part name, data;
        int used;
    } objects[KTEST_MOST];
};

static inline uint32_t ktest_number(struct ktest_part *rest) {
    uint32_t value = 0;
    for (int i = 0; i < 4 && rest->size; i++, rest->bytes++, rest->size--)
        value = value << 8 | (uint8_t)*rest->bytes;
    return value;
}

static inline struct ktest_part ktest_part(struct ktest_part *rest) {
    uint32_t wanted = ktest_number(rest);
    struct ktest_part found = {rest->bytes, wanted < rest->size ? wanted : rest->size};
    rest->bytes += found.size, rest->size -= found.size;
    return found;
}

/* Whether a text, which ends with a zero, is the bytes of a part. */
static inline int ktest_is(struct ktest_part part, const char *text) {
    size_t i = 0;
    while (i < part.size && text[i] && text[i] == part.bytes[i]) i++;
    return i == part.size && !text[i];
}

/* Finds the objects in the bytes of a file, which have to stay; none if it is no test. */
static inline void ktest_read(struct ktest *test, const char *bytes, size_t size) {
    struct ktest_part rest = {bytes, size}, magic = {bytes, 5};
    test->is_read = 1;
    if (size < magic.size || !ktest_is(magic, "KTEST")) return;
    rest.bytes += magic.size, rest.size -= magic.size;
    ktest_number(&rest);
    for (uint32_t words = ktest_number(&rest); words && rest.size; words--) ktest_part(&rest);
    ktest_number(&rest), ktest_number(&rest);
    for (uint32_t count = ktest_number(&rest); count && rest.size && test->count < KTEST_MOST;
         count--) {
        test->objects[test->count].name = ktest_part(&rest);
        test->objects[test->count++].data = ktest_part(&rest);
    }
}

/* The bytes of the first object of the name that was not taken yet, `size` at most; no bytes
 * without one. */
static inline struct ktest_part ktest_take(struct ktest *test, const char *name, size_t size) {
    for (uint32_t i = 0; i < test->count; i++) {
        if (test->objects[i].used || !ktest_is(test->objects[i].name, name)) continue;
        test->objects[i].used = 1;
        struct ktest_part data = test->objects[i].data;
        if (data.size > size) data.size = size;
        return data;
    }
    return (struct ktest_part){name, 0};
}

#endif
