/* The functions of whence/leak.h and sanitizer/lsan_interface.h. */
#include "../leak/excuse.h"
#include "../leak/leak.h"
#include "../rt/event.h"
#include "../settings/options.h"

static uint64_t check_now(const struct frame *frame) {
    struct context context = {0};
    thread_here();
    context.frame = frame;
    return event_leak_check(&context, WH_CHECK_REQUEST);
}

/* ---- whence/leak.h ---- */

WH_EXPORT size_t __whence_leak_check(void);
WH_EXPORT void __whence_leak_counts(size_t *counts);
WH_EXPORT void __whence_leak_disable(void);
WH_EXPORT void __whence_leak_enable(void);
WH_EXPORT int __whence_leak_ignore(const void *pointer);
WH_EXPORT void __whence_leak_root(const void *begin, size_t size, int add);

size_t __whence_leak_check(void) { return check_now(FRAME_HERE); }

/* In the order of struct whence_leak_counts. */
void __whence_leak_counts(size_t *counts) {
    const struct wh_leaks *last = &leak_last;
    const size_t values[] = {
        last->definite_blocks, last->definite_bytes, last->indirect_blocks,  last->indirect_bytes,
        last->possible_blocks, last->possible_bytes, last->reachable_blocks, last->reachable_bytes,
        last->excused_blocks,  last->excused_bytes,
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) counts[i] = values[i];
}

void __whence_leak_disable(void) { excuse_begin(thread_here()); }

void __whence_leak_enable(void) { excuse_end(thread_here()); }

int __whence_leak_ignore(const void *pointer) {
    thread_here();
    return excuse_block((uintptr_t)pointer);
}

void __whence_leak_root(const void *begin, size_t size, int add) {
    thread_here();
    if (add)
        excuse_add_root((uintptr_t)begin, size);
    else
        excuse_remove_root((uintptr_t)begin, size);
}

/* ---- sanitizer/lsan_interface.h ---- */

WH_EXPORT void __lsan_do_leak_check(void);
WH_EXPORT int __lsan_do_recoverable_leak_check(void);
WH_EXPORT void __lsan_disable(void);
WH_EXPORT void __lsan_enable(void);
WH_EXPORT void __lsan_ignore_object(const void *pointer);
WH_EXPORT void __lsan_register_root_region(const void *begin, size_t size);
WH_EXPORT void __lsan_unregister_root_region(const void *begin, size_t size);

/* The first call is the program's last check, and ends it if blocks leak. */
void __lsan_do_leak_check(void) {
    uint64_t new_leaks = check_now(FRAME_HERE);
    event_no_more_checks();
    if (new_leaks && options.halt) finding_stop();
}

int __lsan_do_recoverable_leak_check(void) {
    check_now(FRAME_HERE);
    return leak_last.definite_blocks + leak_last.indirect_blocks > 0;
}

void __lsan_disable(void) { excuse_begin(thread_here()); }

void __lsan_enable(void) { excuse_end(thread_here()); }

void __lsan_ignore_object(const void *pointer) { __whence_leak_ignore(pointer); }

void __lsan_register_root_region(const void *begin, size_t size) {
    __whence_leak_root(begin, size, 1);
}

void __lsan_unregister_root_region(const void *begin, size_t size) {
    __whence_leak_root(begin, size, 0);
}
