/* What programs tell race detectors about order that these cannot see: the functions of
 * sanitizer/tsan_interface.h and of the annotations that Valgrind's tools and others read. */
#include "../rt/races.h"
#include "../process/thread.h"

WH_EXPORT void __tsan_acquire(void *address);
WH_EXPORT void __tsan_release(void *address);
WH_EXPORT void AnnotateHappensBefore(const char *file, int line, const volatile void *address);
WH_EXPORT void AnnotateHappensAfter(const char *file, int line, const volatile void *address);

void __tsan_acquire(void *address) {
    if (RACES_ON) races_acquire((uintptr_t)address);
}

void __tsan_release(void *address) {
    if (RACES_ON) races_release((uintptr_t)address);
}

void AnnotateHappensBefore(const char *file, int line, const volatile void *address) {
    (void)file, (void)line;
    if (RACES_ON) races_release((uintptr_t)address);
}

void AnnotateHappensAfter(const char *file, int line, const volatile void *address) {
    (void)file, (void)line;
    if (RACES_ON) races_acquire((uintptr_t)address);
}
