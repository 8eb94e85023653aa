/* The room of a global or thread-local variable: a zone, the variable, a zone. */
#ifndef WHENCE_RT_ROOM_H
#define WHENCE_RT_ROOM_H

#include "../planes/planes.h"

/* The zone after a variable begins at the end of its last granule. */
static inline uintptr_t room_zone_after(const struct whence_variable *what, uintptr_t room) {
    return wh_round_up(room + what->before + what->size, WH_GRANULE);
}

static inline uintptr_t room_end(const struct whence_variable *what, uintptr_t room) {
    return room_zone_after(what, room) + what->after;
}

static inline void room_close_zones(const struct whence_variable *what, uintptr_t room) {
    plane_set(room, what->before, WH_STATE_GLOBAL_RED_ZONE);
    plane_set(room_zone_after(what, room), what->after, WH_STATE_GLOBAL_RED_ZONE);
}

#endif
