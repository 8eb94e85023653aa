/* modules: origins/texts os/os */
/* Which bytes of copied texts are copies, and which the function's own. */
#include "../../../runtime/origins/cells.h"
#include "unit.h"

/* ---- what texts.c needs of the rest of the runtime ---- */

static char target[32], told[sizeof target];
static const char *source;

void __whence_origin_copy(struct whence_origin_site *site, uint64_t to, uint64_t from,
                          uint64_t size) {
    (void)site;
    CHECK_EQUAL(from, (uintptr_t)source);
    memset(told + (to - (uintptr_t)target), 'c', size);
}

void cells_written(struct whence_origin_site *site, uintptr_t to, uint64_t size) {
    (void)site;
    memset(told + (to - (uintptr_t)target), 'w', size);
}

/* ---- */

#define ALL UINT64_MAX
static void expect(const char *text, uint64_t most, unsigned form, const char *copied) {
    source = text;
    memset(told, '.', sizeof told);
    __whence_origin_copied(NULL, (uintptr_t)target, (uintptr_t)text, most, form);
    size_t length = strlen(copied);
    CHECK(!memcmp(told, copied, length) && told[length] == '.');
}

static void put(const char *text) { memcpy(target, text, strlen(text) + 1); }

int main(void) {
    expect("abc", ALL, WH_COPY_TEXT, "cccc");
    expect("", ALL, WH_COPY_TEXT, "c");
    expect("abc", ALL, WH_COPY_NEW, "cccc");
    expect("abc", 2, WH_COPY_NEW, "ccw");
    expect("abc", 3, WH_COPY_NEW, "cccw");
    expect("abc", 0, WH_COPY_NEW, "w");
    expect("abc", 2, WH_COPY_PADDED, "cc");
    expect("abc", 3, WH_COPY_PADDED, "ccc");
    expect("abc", 4, WH_COPY_PADDED, "cccc");
    expect("abc", 7, WH_COPY_PADDED, "ccccwww");
    expect("abc", 0, WH_COPY_PADDED, "");
    expect("abc", 0, WH_COPY_FITTING, "");
    expect("abc", 1, WH_COPY_FITTING, "w");
    expect("abc", 3, WH_COPY_FITTING, "ccw");
    expect("abc", 4, WH_COPY_FITTING, "cccc");
    expect("abc", 9, WH_COPY_FITTING, "cccc");
    put("xyabc");
    expect("abc", ALL, WH_COPY_APPENDED, "..cccc");
    expect("abc", 9, WH_COPY_APPENDED, "..cccc");
    expect("abc", 3, WH_COPY_APPENDED, "..cccw");
    expect("abc", 9, WH_COPY_APPENDED_FITTING, "..cccc");
    expect("abcd", 6, WH_COPY_APPENDED_FITTING, ""); /* cut off: where it began is not known */
    put("xyab");
    expect("abc", 2, WH_COPY_APPENDED, "..ccw");
    put("ab");
    expect("abc", ALL, WH_COPY_APPENDED, ""); /* not what strcat leaves there */
    __whence_origin_copied(NULL, 0, (uintptr_t)source, ALL, WH_COPY_NEW);
    return 0;
}
