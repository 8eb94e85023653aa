/* The C library looks at the clock for itself where it needs a number that differs each time: of a
 * request to the kernel for the addresses of interfaces (getaddrinfo), of a query to a name
 * server. It takes no answer that lacks the number. Where answers are repeated, so must be what it
 * saw on the clock.
 *
 * It calls the kernel's function in the process (vdso) by a pointer that the loader keeps. */
#include "calls.h"
#include "../os/os.h"
#include "../os/dynamic.h"

#include <time.h>

typedef int clock_function(clockid_t clock, struct timespec *now);

static clock_function *next_clock;

/* The function's result is an error's negative number. */
static int own_clock(clockid_t clock, struct timespec *now) {
    int64_t result;
    if (CALLS_REPEATED && !outside_paused &&
        outside_again(WH_OUTSIDE_OWN_CLOCK, now, sizeof *now, &result))
        return (int)result;
    result = next_clock(clock, now);
    if (CALLS_KEPT && !outside_paused)
        outside_keep(WH_OUTSIDE_OWN_CLOCK, now, result ? 0 : sizeof *now, result);
    return (int)result;
}

struct places {
    uintptr_t clock, pointers, end;
};

static int look(struct dl_phdr_info *info, size_t size, void *into) {
    (void)size;
    struct places *places = into;
    struct dynamic dynamic;
    dynamic_of(info, &dynamic);
    const ElfW(Sym) *clock = dynamic_symbol(&dynamic, "__vdso_clock_gettime", STT_FUNC);
    const ElfW(Sym) *pointers = dynamic_symbol(&dynamic, "_rtld_global_ro", STT_OBJECT);
    if (clock && !places->clock) places->clock = info->dlpi_addr + clock->st_value;
    if (pointers && !places->pointers) {
        places->pointers = info->dlpi_addr + pointers->st_value;
        places->end = places->pointers + pointers->st_size;
    }
    return 0;
}

void calls_take_clock(void) {
    struct places places = {0};
    dl_iterate_phdr(look, &places);
    uintptr_t *pointer = (uintptr_t *)places.pointers, *end = (uintptr_t *)places.end;
    while (places.clock && pointer < end && *pointer != places.clock) pointer++;
    if (!places.clock || pointer >= end) return;
    uintptr_t page = wh_round_down((uintptr_t)pointer, OS_PAGE);
    if (os_protect(page, OS_PAGE, OS_READ_WRITE)) return;
    next_clock = (clock_function *)places.clock;
    *pointer = (uintptr_t)own_clock; /* the page stays open: the loader may not be done with it */
}
