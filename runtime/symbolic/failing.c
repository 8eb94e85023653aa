#include "failing.h"
#include "stored.h"
#include "../os/dynamic.h"
#include "../process/outside.h"
#include "../settings/options.h"

#include <stdlib.h>

unsigned (*failing_chosen)(const char *name, unsigned count, uint64_t pc);
unsigned (*failing_memory_chosen)(const char *name, uint64_t pc);
int failing_memory_on;
static int main_began;

static unsigned stored(const char *name, unsigned count) {
    uint8_t choice = 0;
    if (!main_began) return 0;
    stored_take(&choice, sizeof choice, name);
    return choice <= count ? choice : 0;
}

int failing(const char *name, const int *errors, uint64_t pc) {
    unsigned count = 0;
    if (!OUTSIDE_MADE) return 0;
    while (errors[count]) count++;
    unsigned choice = failing_chosen ? failing_chosen(name, count, pc) : stored(name, count);
    return choice ? errors[choice - 1] : 0;
}

/* ---- memory ---- */

void failing_begin(void) {
    main_began = 1;
    if (!OUTSIDE_MADE || options.explore) return;
    failing_memory_on = stored_has(FAILING_MALLOC) || stored_has(FAILING_NEW);
}

/* Of the image that has this function: the C library. */
static struct {
    uintptr_t begin, end;
} library;

static int look(struct dl_phdr_info *info, size_t size, void *unused) {
    uintptr_t begin = UINTPTR_MAX, end = 0, own = (uintptr_t)strtol;
    (void)size, (void)unused;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + header->p_vaddr;
        if (header->p_type != PT_LOAD) continue;
        if (at < begin) begin = at;
        if (at + header->p_memsz > end) end = at + header->p_memsz;
    }
    if (own < begin || own >= end) return 0;
    library.begin = begin;
    library.end = end;
    return 1;
}

static int is_library(uint64_t pc) {
    if (!library.end) dl_iterate_phdr(look, NULL);
    return pc >= library.begin && pc < library.end;
}

int failing_memory(const char *name, uint64_t pc) {
    if (is_library(pc)) return 0;
    return (int)(failing_memory_chosen ? failing_memory_chosen(name, pc) : stored(name, 1));
}
