/* Labels of domains: what a program can say to `whence run` about its values.
 *
 *     #include <whence/domain.h>
 *
 * whence-cc finds this file by itself. For other compilers `whence include`
 * prints the folder: cc -I "$(whence include)" …
 *
 * A rule file declares labels (`domain`, docs/domains.md). C and C++. There is
 * nothing to link: where the program does not run under whence, or no rule that
 * is on names a label of its domain, every function does nothing and answers 0.
 */
#ifndef WHENCE_DOMAIN_H
#define WHENCE_DOMAIN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Not for direct use. */
int __whence_domain_label(const volatile void *at, size_t size, const char *label)
    __attribute__((weak));
int __whence_domain_clear(const volatile void *at, size_t size, const char *label)
    __attribute__((weak));
int __whence_domain_has(const volatile void *at, size_t size, const char *label)
    __attribute__((weak));

/* The bytes have this label, too. Returns whether the label is followed. */
static inline int whence_label(const volatile void *at, size_t size, const char *label) {
    return __whence_domain_label ? __whence_domain_label(at, size, label) : 0;
}

/* They have it no more: they may be seen, or were found to be right. */
static inline int whence_unlabel(const volatile void *at, size_t size, const char *label) {
    return __whence_domain_clear ? __whence_domain_clear(at, size, label) : 0;
}

/* Whether a byte has it. */
static inline int whence_has_label(const volatile void *at, size_t size, const char *label) {
    return __whence_domain_has ? __whence_domain_has(at, size, label) : 0;
}

#ifdef __cplusplus
}
#endif

#endif
