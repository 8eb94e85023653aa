#include "events.h"

uint32_t events_heard[EVENT_COUNT];

static void listen(const struct observer *observer, unsigned place) {
#define HEAR(name, parameters, arguments)                                                          \
    if (observer->name)                                                                            \
        __atomic_fetch_or(&events_heard[EVENT_##name], 1u << place, __ATOMIC_RELEASE);
    EVENTS(HEAR)
#undef HEAR
}

void observers_begin(void) {
    for (unsigned place = 0; port_observers[place]; place++)
        if (port_observers[place]->always) listen(port_observers[place], place);
}

void observers_watch(uint64_t points) {
    for (unsigned place = 0; port_observers[place]; place++)
        if (port_observers[place]->points & points) listen(port_observers[place], place);
}

void observers_listen(const struct observer *observer) {
    for (unsigned place = 0; port_observers[place]; place++)
        if (port_observers[place] == observer) listen(observer, place);
}

#define CALL_ALL(name, parameters, arguments)                                                      \
    void events_##name parameters {                                                                \
        uint32_t heard = __atomic_load_n(&events_heard[EVENT_##name], __ATOMIC_ACQUIRE);           \
        for (; heard; heard &= heard - 1) port_observers[__builtin_ctz(heard)]->name arguments;    \
    }
EVENTS(CALL_ALL)
