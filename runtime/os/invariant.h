/* What heap, trees, planes and tables promise, whatever the checked program does.
 *
 * A checking build (-DWH_INVARIANTS, `runtime/build.py --checking`) tests each promise where it
 * could be broken, and ends the process with a sentence; the tests and the soak use it. Other
 * builds have no code for it. A condition has no side effects.
 */
#ifndef WHENCE_OS_INVARIANT_H
#define WHENCE_OS_INVARIANT_H

#ifdef WH_INVARIANTS

#include <stddef.h>
#include <sys/syscall.h>

static inline void invariant_say(const char *text) {
    size_t length = 0;
    while (text[length]) length++;
    long result = SYS_write;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(2L), "S"(text), "d"(length)
                     : "rcx", "r11", "memory");
}

/* Nothing of the runtime is called: it is what may be wrong. */
static __attribute__((cold, noinline, noreturn, unused)) void
invariant_broken(const char *condition, const char *place) {
    invariant_say("whence: a promise of the runtime is broken: ");
    invariant_say(condition);
    invariant_say(" (");
    invariant_say(place);
    invariant_say(")\n");
    __builtin_trap();
}

#define INVARIANT_TEXT(x) #x
#define INVARIANT_LINE(x) INVARIANT_TEXT(x)
#define WH_INVARIANT(condition)                                                                    \
    (__builtin_expect(!(condition), 0)                                                             \
         ? invariant_broken(#condition, __FILE__ ":" INVARIANT_LINE(__LINE__))                     \
         : (void)0)

#else

/* Read by the compiler alone, so that what is only tested is used. */
#define WH_INVARIANT(condition) ((void)(0 && (condition)))

#endif

#endif
