/* Containers that say which part of their memory holds elements
 * (sanitizer/common_interface_defs.h): the rest of it may not be accessed. std::vector of libstdc++
 * does so with _GLIBCXX_SANITIZE_VECTOR. */
#include "../process/thread.h"
#include "poison.h"

WH_EXPORT void __sanitizer_annotate_contiguous_container(const void *begin, const void *end,
                                                         const void *old_middle,
                                                         const void *new_middle);
WH_EXPORT void
__sanitizer_annotate_double_ended_contiguous_container(const void *begin, const void *end,
                                                       const void *old_first, const void *old_last,
                                                       const void *new_first, const void *new_last);
WH_EXPORT const void *__sanitizer_contiguous_container_find_bad_address(const void *begin,
                                                                        const void *middle,
                                                                        const void *end);
WH_EXPORT int __sanitizer_verify_contiguous_container(const void *begin, const void *middle,
                                                      const void *end);

WH_EXPORT const void *
__sanitizer_double_ended_contiguous_container_find_bad_address(const void *begin, const void *first,
                                                               const void *last, const void *end);
WH_EXPORT int __sanitizer_verify_double_ended_contiguous_container(const void *begin,
                                                                   const void *first,
                                                                   const void *last,
                                                                   const void *end);

static void open_between(const void *begin, const void *end) {
    if (begin < end) poison_open((uintptr_t)begin, (uintptr_t)end - (uintptr_t)begin);
}

static void close_between(const void *begin, const void *end) {
    if (begin < end) poison_close((uintptr_t)begin, (uintptr_t)end - (uintptr_t)begin);
}

/* The elements are [begin, new_middle), and were [begin, old_middle). */
void __sanitizer_annotate_contiguous_container(const void *begin, const void *end,
                                               const void *old_middle, const void *new_middle) {
    (void)begin;
    (void)end;
    thread_here();
    open_between(old_middle, new_middle);
    close_between(new_middle, old_middle);
}

/* The elements are [new_first, new_last). An old range without elements says nothing. */
void __sanitizer_annotate_double_ended_contiguous_container(const void *begin, const void *end,
                                                            const void *old_first,
                                                            const void *old_last,
                                                            const void *new_first,
                                                            const void *new_last) {
    thread_here();
    if (old_first == old_last) old_first = old_last = new_first;
    if (new_first == new_last) new_first = new_last = old_last;
    close_between(old_first, new_first < old_last ? new_first : old_last);
    close_between(new_last > old_first ? new_last : old_first, old_last);
    open_between(new_first > begin ? new_first : begin, new_last < end ? new_last : end);
}

static int is_open(const char *at) { return poison_closed((uintptr_t)at, 1) == 0; }

/* Whether a byte without an element stays accessible because a later one of its granule is: an
 * element, or what follows the container. */
static int must_be_open(const char *at, const char *first, const char *last, const char *end) {
    while ((uintptr_t)++at % WH_GRANULE)
        if ((at >= first && at < last) || (at >= end && is_open(at))) return 1;
    return 0;
}

/* The first address whose byte is accessible although it holds no element, or the reverse; NULL:
 * none. The elements are [first, last). */
const void *__sanitizer_double_ended_contiguous_container_find_bad_address(const void *begin,
                                                                           const void *first,
                                                                           const void *last,
                                                                           const void *end) {
    thread_here();
    for (const char *at = begin; at < (const char *)end; at++) {
        int holds = at >= (const char *)first && at < (const char *)last;
        if (is_open(at) != holds && (holds || !must_be_open(at, first, last, end))) return at;
    }
    return NULL;
}

const void *__sanitizer_contiguous_container_find_bad_address(const void *begin, const void *middle,
                                                              const void *end) {
    return __sanitizer_double_ended_contiguous_container_find_bad_address(begin, begin, middle,
                                                                          end);
}

int __sanitizer_verify_contiguous_container(const void *begin, const void *middle,
                                            const void *end) {
    return __sanitizer_contiguous_container_find_bad_address(begin, middle, end) == NULL;
}

int __sanitizer_verify_double_ended_contiguous_container(const void *begin, const void *first,
                                                         const void *last, const void *end) {
    return !__sanitizer_double_ended_contiguous_container_find_bad_address(begin, first, last, end);
}
