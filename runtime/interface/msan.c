/* The functions of sanitizer/msan_interface.h. Where undefined values are not followed, all bytes
 * are defined and nothing becomes undefined. */
#include "poison.h"
#include "../labels/births.h"
#include "../os/mem.h"
#include "../os/text.h"
#include "../rt/event.h"
#include "../rt/uses.h"
#include "../definedness/contents.h"
#include "../definedness/origin.h"

#include <string.h>
#include <sys/types.h>

WH_EXPORT void __msan_unpoison(const volatile void *begin, size_t size);
WH_EXPORT void __msan_unpoison_string(const volatile char *text);
WH_EXPORT void __msan_poison(const volatile void *begin, size_t size);
WH_EXPORT void __msan_allocated_memory(const volatile void *begin, size_t size);
WH_EXPORT void __sanitizer_dtor_callback(const volatile void *begin, size_t size);
WH_EXPORT void __msan_partial_poison(const volatile void *begin, void *bits, size_t size);
WH_EXPORT void __msan_copy_shadow(const volatile void *to, const volatile void *from, size_t size);
WH_EXPORT intptr_t __msan_test_shadow(const volatile void *begin, size_t size);
WH_EXPORT void __msan_check_mem_is_initialized(const volatile void *begin, size_t size);
WH_EXPORT void __msan_print_shadow(const volatile void *begin, size_t size);
WH_EXPORT void __msan_set_origin(const volatile void *begin, size_t size, uint32_t number);
WH_EXPORT uint32_t __msan_get_origin(const volatile void *address);
WH_EXPORT int __msan_origin_is_descendant_or_same(uint32_t number, uint32_t before);
WH_EXPORT int __msan_get_track_origins(void);
WH_EXPORT void __msan_scoped_disable_interceptor_checks(void);
WH_EXPORT void __msan_scoped_enable_interceptor_checks(void);

/* Any of them may be the first call into the runtime: thread_here starts it. */
static int is_followed(void) {
    thread_here();
    return VALUES_ON != 0;
}

void __msan_unpoison(const volatile void *begin, size_t size) {
    if (is_followed()) __whence_value_define((uintptr_t)begin, size);
    if (!size || poison_first_bad((uintptr_t)begin, size)) return;
    labels_unmarked("__msan_poison", (uintptr_t)begin, size);
    labels_unmarked("__msan_allocated_memory", (uintptr_t)begin, size);
}

void __msan_unpoison_string(const volatile char *text) {
    __msan_unpoison(text, strlen((const char *)text) + 1);
}

/* ---- bytes become undefined; what they hold stays ---- */

/* Of a large range only the begin is undefined, as in blocks. */
static void forget(uintptr_t begin, uint64_t size, const struct frame *frame) {
    if (!is_followed() || !size || poison_first_bad(begin, size)) return;
    contents_limited(size);
    values_forget(begin, size < CONTENTS_MOST ? size : CONTENTS_MOST,
                  origin_of_stack(port_stack(thread_here(), frame)));
}

/* The bytes may be labelled in place of that. */
static int is_labelled(const char *function, const struct frame *frame, uintptr_t begin,
                       uint64_t size) {
    thread_here();
    return size && !poison_first_bad(begin, size) && labels_marked(function, frame, begin, size);
}

void __msan_poison(const volatile void *begin, size_t size) {
    if (!is_labelled("__msan_poison", FRAME_HERE, (uintptr_t)begin, size))
        forget((uintptr_t)begin, size, FRAME_HERE);
}

void __msan_allocated_memory(const volatile void *begin, size_t size) {
    if (!is_labelled("__msan_allocated_memory", FRAME_HERE, (uintptr_t)begin, size))
        forget((uintptr_t)begin, size, FRAME_HERE);
}

void __sanitizer_dtor_callback(const volatile void *begin, size_t size) {
    forget((uintptr_t)begin, size, FRAME_HERE);
}

void __msan_partial_poison(const volatile void *begin, void *bits, size_t size) {
    if (!is_followed()) return;
    uint64_t origin = origin_of_stack(port_stack(thread_here(), FRAME_HERE));
    const uint8_t *of = bits;
    for (size_t i = 0; i < size; i++)
        __whence_value_store((uintptr_t)begin + i, 1, of[i], of[i] ? origin : 0);
}

void __msan_copy_shadow(const volatile void *to, const volatile void *from, size_t size) {
    if (is_followed()) __whence_value_copy((uintptr_t)to, (uintptr_t)from, size);
}

/* ---- questions ---- */

intptr_t __msan_test_shadow(const volatile void *begin, size_t size) {
    if (!is_followed() || !size) return -1;
    uintptr_t first = values_first((uintptr_t)begin, size);
    return first == (uintptr_t)begin + size ? -1 : (intptr_t)(first - (uintptr_t)begin);
}

void __msan_check_mem_is_initialized(const volatile void *begin, size_t size) {
    intptr_t first = __msan_test_shadow(begin, size);
    if (first >= 0)
        use_memory((uintptr_t)begin, size, (uintptr_t)begin + (uintptr_t)first,
                   "__msan_check_mem_is_initialized", FRAME_HERE);
}

#define LINE_BYTES 16u

static void put_byte(struct text *line, uint8_t bits) {
    static const char digits[] = "0123456789abcdef";
    const char text[] = {' ', digits[bits >> 4], digits[bits & 15], 0};
    text_put(line, text);
}

void __msan_print_shadow(const volatile void *begin, size_t size) {
    if (!is_followed()) return;
    for (size_t at = 0; at < size; at += LINE_BYTES) {
        TEXT(line, 128);
        text_hex(&line, (uintptr_t)begin + at);
        text_put(&line, ": undefined bits");
        for (size_t i = at; i < size && i < at + LINE_BYTES; i++)
            put_byte(&line, (uint8_t)__whence_value_load((uintptr_t)begin + i, 1).bits);
        text_complain(&line);
    }
}

/* ---- origins as numbers of 32 bits ---- */

/* A stack's number is its handle. Other origins are numbered as they are asked for. */
#define OTHER (1u << 31)
#define OTHERS 1024u
static uint64_t others[OTHERS];

static uint32_t number_of(uint64_t origin) {
    uint32_t stack = origin_stack(origin);
    if (stack || !origin) return stack;
    for (uint32_t i = 0; i < OTHERS; i++) {
        uint64_t there = __atomic_load_n(&others[i], __ATOMIC_RELAXED);
        if (!there && __atomic_compare_exchange_n(&others[i], &there, origin, 0, __ATOMIC_RELAXED,
                                                  __ATOMIC_RELAXED))
            there = origin;
        if (there == origin) return OTHER | i;
    }
    return 0;
}

static uint64_t origin_numbered(uint32_t number) {
    if (number & OTHER) return number - OTHER < OTHERS ? others[number - OTHER] : 0;
    return number && depot_has(number) ? origin_of_stack(number) : 0;
}

uint32_t __msan_get_origin(const volatile void *address) {
    if (!is_followed()) return 0;
    struct whence_bits found = __whence_value_load((uintptr_t)address, 1);
    return found.bits ? number_of(found.origin) : 0;
}

/* Bytes that are undefined as wholes hold their origin. */
void __msan_set_origin(const volatile void *begin, size_t size, uint32_t number) {
    uint64_t origin = origin_numbered(number);
    if (!is_followed() || !origin) return;
    for (size_t i = 0; i < size; i++) {
        uintptr_t at = (uintptr_t)begin + i;
        uint64_t bits = __whence_value_load(at, 1).bits;
        if (at % WH_GRANULE == 0 && size - i >= WH_GRANULE &&
            __whence_value_load(at, WH_GRANULE).bits == ALL_BITS) {
            __whence_value_undefine(at, WH_GRANULE, origin);
            i += WH_GRANULE - 1;
        } else if (bits) {
            __whence_value_store(at, 1, bits, origin);
        }
    }
}

int __msan_origin_is_descendant_or_same(uint32_t number, uint32_t before) {
    return number == before;
}

int __msan_get_track_origins(void) { return is_followed(); }

/* ---- library functions ---- */

void __msan_scoped_disable_interceptor_checks(void) { uses_unwatched++; }

void __msan_scoped_enable_interceptor_checks(void) {
    if (uses_unwatched) uses_unwatched--;
}
