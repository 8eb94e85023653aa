/* modules: os/dynamic process/images os/text process/maps record/record record/known os/os */
#include "../../../runtime/process/maps.h"
#include "../../../runtime/os/os.h"
#include "unit.h"

static void lines_are_taken_apart(void) {
    const char *text = "555555554000-555555556000 r-xp 00001000 fe:00 1234     /bin/a program\n"
                       "7ffff7fc1000-7ffff7fc3000 rw-p 00000000 00:00 0 \n"
                       "7ffffffde000-7ffffffff000 rw-s 00000000 00:00 0                  [stack]";
    size_t at = 0, size = strlen(text);
    struct mapping mapping;
    CHECK(maps_parse(text, size, &at, &mapping));
    CHECK_EQUAL(mapping.begin, 0x555555554000);
    CHECK_EQUAL(mapping.end, 0x555555556000);
    CHECK(memcmp(mapping.protection, "r-xp", 4) == 0);
    CHECK(mapping.path_length == 14 && !memcmp(mapping.path, "/bin/a program", 14));
    CHECK(maps_parse(text, size, &at, &mapping));
    CHECK_EQUAL(mapping.path_length, 0);
    CHECK(maps_parse(text, size, &at, &mapping));
    CHECK(mapping.path_length == 7 && mapping.protection[3] == 's');
    CHECK(!maps_parse(text, size, &at, &mapping));
}

static void what_is_no_line_ends_it(void) {
    const char *const bad[] = {"", "\n", "xyz", "12-", "12-34", "12-34 rw", "12 34 rw-p 0 0 0\n"};
    struct mapping mapping;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t at = 0;
        CHECK(!maps_parse(bad[i], strlen(bad[i]), &at, &mapping));
    }
}

static int local_data = 1;

static void our_own_maps_hold_our_data(void) {
    size_t size, at = 0;
    uintptr_t text = maps_read(&size);
    struct mapping mapping;
    int found = 0;
    CHECK(text);
    while (maps_parse((const char *)text, size, &at, &mapping))
        if ((uintptr_t)&local_data - mapping.begin < mapping.end - mapping.begin)
            found = mapping.protection[1] == 'w';
    CHECK_EQUAL(at, size);
    CHECK(found);
    os_unmap(text, MAPS_ROOM);
}

int main(void) {
    lines_are_taken_apart();
    what_is_no_line_ends_it();
    our_own_maps_hold_our_data();
    return 0;
}
