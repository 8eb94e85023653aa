/* modules: os/dynamic process/images process/maps record/record record/known os/os os/text */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../runtime/process/images.h"
#include "../../../runtime/process/maps.h"
#include "unit.h"

static uintptr_t code_of_c_library(void) { return (uintptr_t)dlsym(RTLD_DEFAULT, "getpid"); }

static void system_libraries_by_name(void) {
    static const char *const yes[] = {"/lib/x86_64-linux-gnu/libc.so.6", "libc-2.31.so",
                                      "/usr/lib/libstdc++.so.6", "/lib64/ld-linux-x86-64.so.2"};
    static const char *const no[] = {"/usr/lib/libcrypto.so.3", "/home/libc/libmine.so", "", "libc"};
    for (size_t i = 0; i < 4; i++) {
        CHECK(images_is_system(yes[i], strlen(yes[i])));
        CHECK(!images_is_system(no[i], strlen(no[i])));
    }
    CHECK(!images_is_system("libc.so.6", 6)); /* only "libc.s" is given */
}

static void kinds(void) {
    images_refresh();
    CHECK(images_kind(code_of_c_library()) == IMAGE_SYSTEM);
    CHECK(images_kind((uintptr_t)kinds) == IMAGE_OTHER);
    CHECK(images_kind(8) == IMAGE_OTHER);
    CHECK(!images_main_instrumented() && !images_any_instrumented());
}

/* The list holds every executable segment that the kernel's own list names. */
static void list_is_what_the_kernel_says(void) {
    static char text[1 << 20];
    size_t size = images_list(text, sizeof text), at = 0, found = 0;
    struct mapping mapping;
    char own[4096];
    long length = readlink("/proc/self/exe", own, sizeof own);
    int main_seen = 0, libc_seen = 0;
    while (maps_parse(text, size, &at, &mapping)) {
        CHECK(!memcmp(mapping.protection, "r-xp", 4) && mapping.path[0] == '/');
        uintptr_t here = (uintptr_t)list_is_what_the_kernel_says, there = code_of_c_library();
        if (here >= mapping.begin && here < mapping.end)
            main_seen = (long)mapping.path_length == length &&
                        !memcmp(mapping.path, own, mapping.path_length);
        libc_seen |= there >= mapping.begin && there < mapping.end;
        found++;
    }
    CHECK(at == size && found >= 3 && main_seen && libc_seen);
}

static void list_is_cut_off(void) {
    char text[40];
    CHECK(images_list(text, sizeof text) == sizeof text);
}

int main(void) {
    system_libraries_by_name();
    kinds();
    list_is_what_the_kernel_says();
    list_is_cut_off();
    return 0;
}
