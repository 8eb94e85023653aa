#include "spread.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../settings/environment.h"
#include "../settings/options.h"

#include <pthread.h>

static struct kd_space *space;
static struct kd_state *heap;

static void read_layout(const char *environment, size_t size, void *config) {
    size_t length = 0;
    const char *value = options_variable(environment, size, WH_SPACE_VARIABLE, &length);
    TEXT(error, 512);
    if (value && !spread_parse(value, length, config, &error)) text_give_up(&error);
}

static void open_heap(void) {
    struct kd_config config;
    kd_defaults(KD_SPREAD, &config);
    for (unsigned i = 0; i < KD_REGIONS; i++)
        if (i != KD_HEAP) config.regions[i].size = 0;
    os_environment(read_layout, &config);
    config.access = KD_READ_WRITE;
    TEXT(message, 512);
    text_put(&message, WH_SPACE_VARIABLE ": ");
    space = kd_open(&config, message.begin + message.length, 400);
    struct kd_state *made = space ? kd_new(space) : NULL;
    if (!made) {
        message.length = wh_length(message.begin);
        text_give_up(&message);
    }
    __atomic_store_n(&heap, made, __ATOMIC_RELEASE);
}

struct kd_state *spread_state(void) {
    static int begun;
    struct kd_state *state = __atomic_load_n(&heap, __ATOMIC_ACQUIRE);
    if (WH_LIKELY(state)) return state;
    if (!__atomic_exchange_n(&begun, 1, __ATOMIC_ACQ_REL)) open_heap();
    while (!(state = __atomic_load_n(&heap, __ATOMIC_ACQUIRE))) os_sleep_us(10);
    return state;
}

unsigned spread_bins(void) { return kd_bins(space); }

/* ---- fork: the books must not be half changed in the child ---- */

static void before_fork(void) {
    spread_lock();
    kd_lock(space);
}

static void after_fork(void) {
    kd_unlock(space);
    spread_unlock();
}

__attribute__((constructor)) static void begin(int count, char **arguments, char **environment) {
    (void)count;
    (void)arguments;
    spread_state();
    pthread_atfork(before_fork, after_fork, after_fork);
    environment_restore(environment);
}
