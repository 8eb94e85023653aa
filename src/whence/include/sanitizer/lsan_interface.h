/* LeakSanitizer's interface, for compilers that come without its header; see whence/leak.h. */
#ifndef WHENCE_SANITIZER_LSAN_INTERFACE_H
#define WHENCE_SANITIZER_LSAN_INTERFACE_H

#include <sanitizer/common_interface_defs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What this thread allocates between the two is no leak. They nest. */
void __lsan_disable(void);
void __lsan_enable(void);
/* The block at the pointer is no leak, nor is what it leads to. */
void __lsan_ignore_object(const void *pointer);
/* Memory that is searched for pointers, too. */
void __lsan_register_root_region(const void *begin, size_t size);
void __lsan_unregister_root_region(const void *begin, size_t size);
/* The program's last leak check; ends it if blocks leak. */
void __lsan_do_leak_check(void);
/* A leak check after which the program goes on; nonzero if blocks leak. */
int __lsan_do_recoverable_leak_check(void);
/* The program may define them. */
const char *__lsan_default_options(void);
const char *__lsan_default_suppressions(void);
int __lsan_is_turned_off(void);

#ifdef __cplusplus
}

namespace __lsan {
/* No leaks from here to the end of the scope. */
class ScopedDisabler {
  public:
    ScopedDisabler() { __lsan_disable(); }
    ~ScopedDisabler() { __lsan_enable(); }
};
} // namespace __lsan
#endif

#endif
