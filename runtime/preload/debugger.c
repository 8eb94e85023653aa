/* Waiting for a debugger where a guarded access traps (Redzal, section 3.2). */
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"
#include "report.h"

#define LOOK_US 100000u

/* Whether /proc/self/status names a tracer. */
static int is_traced(void) {
    static const char name[] = "TracerPid:\t";
    char status[4096];
    long size = os_read_file("/proc/self/status", status, sizeof status - 1);
    if (size <= 0) return 0;
    status[size] = 0;
    for (const char *at = status; *at; at++) {
        size_t same = 0;
        while (name[same] && at[same] == name[same]) same++;
        if (!name[same]) return at[same] != '0';
    }
    return 0;
}

int preload_await_debugger(const char *rule, uint64_t seconds) {
    if (is_traced()) return 1;
    TEXT(line, 200);
    text_put(&line, rule);
    text_put(&line, ": process ");
    text_decimal(&line, os_process());
    text_put(&line, " waits ");
    text_decimal(&line, seconds);
    text_put(&line, seconds == 1 ? " second" : " seconds");
    text_put(&line, " for a debugger (gdb -p ");
    text_decimal(&line, os_process());
    text_put(&line, ")");
    text_complain(&line);
    for (uint64_t end = os_now_us() + seconds * 1000000; os_now_us() < end; os_sleep_us(LOOK_US))
        if (is_traced()) return 1;
    return 0;
}
