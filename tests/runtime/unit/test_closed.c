/* modules: os/dynamic process/images process/closed os/os os/text */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>

#include "../../../runtime/process/closed.h"
#include "../../../runtime/process/images.h"
#include "../../../runtime/process/thread.h"
#include "../../../runtime/settings/options.h"
#include "unit.h"

struct options options;

void *rt_private(size_t size) { return calloc(1, size); }

static void *opened;

static uintptr_t open_library(void) {
    opened = dlopen("libresolv.so.2", RTLD_NOW);
    CHECK(opened);
    images_opening();
    return ((struct link_map *)opened)->l_addr;
}

static void close_library(void) {
    images_refresh();
    closed_begin();
    dlclose(opened);
    closed_end();
}

static int is_free(uintptr_t page) {
    if (os_reserve(page, OS_PAGE, OS_NONE) < 0) return 0;
    os_unmap(page, OS_PAGE);
    return 1;
}

/* The addresses stay taken, so that what was kept of them means one image. */
static void a_closed_library_keeps_its_place(void) {
    uintptr_t low = open_library();
    CHECK(images_came_later(low + 8) || !images_has_checks(low));
    CHECK(closed_kept((const void *)(low + 8)) == (const void *)(low + 8));
    close_library();
    CHECK(!is_free(low));
    CHECK(closed_kept((const void *)(low + 8)) == NULL); /* it is not instrumented */
    uintptr_t next = open_library();
    CHECK(next != low);
    CHECK(closed_kept((const void *)(next + 8)) == (const void *)(next + 8));
    close_library();
}

/* Programs may load a library for ever. */
static void not_without_end(void) {
    uintptr_t last = 0, before = 1;
    for (int i = 0; i < 60; i++) {
        before = last;
        last = open_library();
        close_library();
    }
    CHECK_EQUAL(last, before);
    CHECK(is_free(last));
    CHECK(closed_kept((const void *)(last + 8)) == NULL);
    last = open_library();
    CHECK(closed_kept((const void *)(last + 8)) == (const void *)(last + 8));
    close_library();
}

static void what_is_there_from_the_start_is_itself(void) {
    CHECK(closed_kept(&options) == &options);
    CHECK(closed_kept(NULL) == NULL);
    CHECK(!images_came_later((uintptr_t)&options));
}

int main(void) {
    images_refresh();
    what_is_there_from_the_start_is_itself();
    a_closed_library_keeps_its_place();
    not_without_end();
    what_is_there_from_the_start_is_itself();
    return 0;
}
