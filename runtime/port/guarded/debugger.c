/* Waiting for a debugger where a guarded access traps (Redzal, section 3.2). */
#include "../../os/mem.h"
#include "../../guard/pager.h"
#include "../../os/os.h"
#include "../../os/text.h"
#include "../../os/trace.h"
#include "../../settings/options.h"
#include "../port.h"

#define LOOK_US 100000u

int port_await_debugger(const char *rule) {
    uint64_t seconds = options.attach_wait;
    if (!seconds) return 0;
    if (os_traced()) return 1;
    pager_freeze(); /* a debugger does not see packed bytes */
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
        if (os_traced()) return 1;
    return 0;
}
