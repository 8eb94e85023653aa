/* The functions of whence/domain.h. */
#include "poison.h"
#include "../labels/births.h"
#include "../labels/plane.h"
#include "../labels/born.h"
#include "../process/thread.h"

WH_EXPORT int __whence_domain_label(const volatile void *at, size_t size, const char *label);
WH_EXPORT int __whence_domain_clear(const volatile void *at, size_t size, const char *label);
WH_EXPORT int __whence_domain_has(const volatile void *at, size_t size, const char *label);

/* The bit of a label, where the program may access all bytes; the first call may begin the runtime.
 */
static uint8_t bit_of(uintptr_t at, size_t size, const char *label) {
    thread_here();
    uint8_t bit = labels_named(label);
    return bit && !poison_first_bad(at, size) ? bit : 0;
}

int __whence_domain_label(const volatile void *at, size_t size, const char *label) {
    uint8_t bit = bit_of((uintptr_t)at, size, label);
    if (bit) labels_add((uintptr_t)at, size, bit, birth_here(FRAME_HERE));
    return bit != 0;
}

int __whence_domain_clear(const volatile void *at, size_t size, const char *label) {
    uint8_t bit = bit_of((uintptr_t)at, size, label);
    if (bit) labels_drop((uintptr_t)at, size, bit);
    return bit != 0;
}

int __whence_domain_has(const volatile void *at, size_t size, const char *label) {
    uint8_t bit = bit_of((uintptr_t)at, size, label);
    return bit && (labels_load((uintptr_t)at, size) & bit);
}
