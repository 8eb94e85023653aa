/* What klee/klee.h and whence/explore.h say of memory. */
#include "../os/os.h"
#include "../os/text.h"
#include "../rt/access.h"

WH_EXPORT void klee_check_memory_access(const void *address, size_t size);
WH_EXPORT void whence_check_memory_access(const void *address, size_t size)
    __attribute__((alias("klee_check_memory_access")));
WH_EXPORT void klee_define_fixed_object(void *address, size_t size);
WH_EXPORT void whence_define_fixed_object(void *address, size_t size)
    __attribute__((alias("klee_define_fixed_object")));

/* Memory of which nothing is known is touched at both ends: what is not there traps. */
void klee_check_memory_access(const void *address, size_t size) {
    const volatile char *bytes = address;
    if (!size) return;
    access_check((uintptr_t)address, size, (uintptr_t)address, 0, NULL, FRAME_HERE);
    (void)bytes[0];
    (void)bytes[size - 1];
}

static void complain(uintptr_t page) {
    TEXT(message, 128);
    text_put(&message, "whence: klee_define_fixed_object: no memory can be had at ");
    text_hex(&message, page);
    text_complain(&message);
}

/* Pages that are there stay as they are: two objects may lie in one. */
void klee_define_fixed_object(void *address, size_t size) {
    uintptr_t begin = (uintptr_t)address & ~(OS_PAGE - 1);
    uintptr_t end = wh_round_up((uintptr_t)address + size, OS_PAGE);
    for (uintptr_t page = begin; page < end; page += OS_PAGE)
        if (os_failed(os_reserve(page, OS_PAGE, OS_READ_WRITE)) && !os_readable(page))
            complain(page);
}
