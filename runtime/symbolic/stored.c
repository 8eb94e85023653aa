/* The file stays mapped. */
#include "stored.h"
#include "ktest.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../settings/environment.h"

#include <unistd.h>

static struct ktest test;

/* In memory that no block of the program lies in, so addresses are those of other runs. */
static void read_test(const char *path) {
    int file = path ? os_open(path, OS_OPEN_READ) : -1;
    long done = 0;
    uintptr_t at = 0;
    if (file >= 0) {
        long size = os_file_size(file);
        if (size > 0) at = os_map(((size_t)size + OS_PAGE - 1) & ~(OS_PAGE - 1));
        if (at) done = os_read_at(file, (void *)at, (size_t)size, 0);
        os_close(file);
    }
    ktest_read(&test, (const char *)at, done > 0 ? (size_t)done : 0);
}

static void need_test(void) {
    if (!test.is_read) read_test(environment_value(environ, KTEST_VARIABLE));
}

int stored_has(const char *name) {
    need_test();
    for (uint32_t i = 0; i < test.count; i++)
        if (ktest_is(test.objects[i].name, name)) return 1;
    return 0;
}

void stored_take(void *at, size_t size, const char *name) {
    need_test();
    struct ktest_part data = ktest_take(&test, name, size);
    wh_copy(at, data.bytes, data.size);
}
