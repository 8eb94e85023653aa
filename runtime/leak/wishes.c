#include "wishes.h"
#include "../os/mem.h"
#include "../process/thread.h"
#include "../record/record.h"

/* The program may define them. */
__attribute__((weak)) int __lsan_is_turned_off(void);
__attribute__((weak)) const char *__lsan_default_suppressions(void);
__attribute__((weak)) const char *__lsan_default_options(void);
__attribute__((weak)) const char *__asan_default_options(void);

static int is_of_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Whether the text has the option `detect_leaks=0`; the last one of its name counts. */
static int switches_off(const char *text) {
    static const char option[] = "detect_leaks=";
    int off = 0;
    for (const char *at = text; at && *at; at++) {
        size_t same = 0;
        while (option[same] && at[same] == option[same]) same++;
        if (option[same] || (at != text && is_of_word(at[-1]))) continue;
        off = at[same] == '0' || at[same] == 'f' || at[same] == 'n'; /* 0, false, no */
    }
    return off;
}

int wishes_decline(void) {
    static int noted;
    if (__lsan_is_turned_off && __lsan_is_turned_off()) return 1;
    int off = (__asan_default_options && switches_off(__asan_default_options())) ||
              (__lsan_default_options && switches_off(__lsan_default_options()));
    if (off)
        rt_note(&noted, "leaks were not looked for at the program's end: the options that it has "
                        "for sanitizers say detect_leaks=0");
    return off;
}

void wishes_tell(void) {
    static int told;
    if (!__lsan_default_suppressions || __atomic_exchange_n(&told, 1, __ATOMIC_ACQ_REL)) return;
    const char *text = __lsan_default_suppressions();
    if (text && *text) record_text_once(WH_RECORD_SUPPRESSIONS, text);
}
