/* Start of the runtime: the first function that needs it calls port_start. */
#include "../findings/debugger.h"
#include "../process/alone.h"
#include "../process/outside.h"
#include "../process/program.h"
#include "../process/thread.h"
#include "../settings/options.h"
#include "../process/service.h"
#include "../alloc/reserve.h"
#include "../blocks/block.h"
#include "../calls/calls.h"
#include "../events/events.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../origins/cells.h"
#include "../origins/observer.h"
#include "../planes/planes.h"
#include "../profile/observer.h"
#include "../profile/profile.h"
#include "../record/record.h"
#include "../fuzz/fuzz.h"
#include "../symbolic/observer.h"
#include "../symbolic/symbolic.h"
#include "cage.h"
#include "threads.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void reserve_all(void) {
    uintptr_t begin;
    size_t size;
    long result;
    if (PORT_PLANES && (result = planes_init(&begin, &size)) < 0)
        port_no_range("state plane", result, begin, size);
    reserve_heap();
    if ((result = depot_init(&begin, &size)) < 0) port_no_range("stack depot", result, begin, size);
    result = os_reserve(WH_PRIVATE_BASE, WH_PRIVATE_SIZE, OS_READ_WRITE);
    if (result < 0) port_no_range("runtime", result, WH_PRIVATE_BASE, WH_PRIVATE_SIZE);
    if (PORT_PLANES && options.origins) {
        if ((result = origins_init(&begin, &size)) < 0)
            port_no_range("origins of values", result, begin, size);
        observers_listen(&origins_observer);
    }
    if (PORT_PLANES && options.symbolic) {
        if ((result = symbolic_init(&begin, &size, threads_forked)) < 0)
            port_no_range("symbolic values", result, begin, size);
        observers_listen(&symbolic_observer);
    }
    if (PORT_PLANES) fuzz_init(threads_forked);
}

/* A variable of the environment brought it, or a copy of a program that was instrumented elsewhere.
 */
static void refuse_another(void) {
    struct alone_pair pair;
    if (alone_is(&pair)) return;
    TEXT(message, 1024);
    text_put(&message, pair.own);
    text_put(&message, " and ");
    text_put(&message, pair.other);
    text_put(&message, " are in one process, which can have one library of whence: see LD_PRELOAD "
                       "and LD_LIBRARY_PATH");
    port_give_up(&message);
}

static void tell_region(const char *what, uintptr_t begin, uint64_t size) {
    TEXT(line, 160);
    text_put(&line, "deterministic allocator: ");
    text_put(&line, what);
    text_put(&line, " (start-address=");
    text_hex(&line, begin);
    text_put(&line, " size=");
    text_decimal(&line, size >> 30);
    text_put(&line, " GiB)");
    text_complain(&line);
}

static void tell_regions(void) {
    static const struct {
        const char *what;
        uintptr_t begin;
        uint64_t size;
    } regions[] = {
        {"heap", WH_HEAP_BASE, WH_HEAP_SIZE},
        {"block table", WH_META_BASE, WH_META_SIZE},
        {"stacks of blocks", WH_DEPOT_BASE, WH_DEPOT_SIZE},
        {"runtime", WH_PRIVATE_BASE, WH_PRIVATE_SIZE},
        {"loader", WH_LOADER_BASE, WH_LOADER_SIZE},
    };
    for (unsigned i = 0; i < sizeof regions / sizeof *regions; i++)
        tell_region(regions[i].what, regions[i].begin, regions[i].size);
}

static void read_options(const char *environment, size_t size, void *unused) {
    (void)unused;
    TEXT(error, 512);
    if (!options_read(environment, size, &error)) port_give_up(&error);
    service_init(environment, size);
    program_init(environment, size);
    port_configure(environment, size);
}

static void (*first_look)(void);

void port_look_first(void (*look)(void)) {
    first_look = look;
    rt_ready = 0;
}

/* The child of a fork has one thread. */
static int is_look(void) {
    void (*look)(void) = first_look;
    if (!look) return 0;
    first_look = NULL;
    rt_ready = 1;
    look();
    return 1;
}

void port_start(void) {
    static int begun;
    if (is_look()) return;
    if (__atomic_exchange_n(&begun, 1, __ATOMIC_ACQ_REL)) {
        while (!__atomic_load_n(&rt_ready, __ATOMIC_ACQUIRE)) os_sleep_us(10);
        return;
    }
    refuse_another();
    os_environment(read_options, NULL);
    observers_begin();
    reserve_all();
    if (options.regions) tell_regions();
    thread_init_main();
    __atomic_store_n(&rt_ready, 1, __ATOMIC_RELEASE);
    record_open(1);
    if (options.profile) {
        profile_begin();
        observers_listen(&profile_observer);
    }
    outside_begin(record_path());
    calls_begin(record_path());
    if (options.caged) cage_close();
    debugger_await();
}
