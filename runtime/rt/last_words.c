#include "last_words.h"
#include "../os/os.h"

#include <dlfcn.h>

/* As glibc has it: the text follows its size. */
struct message {
    unsigned size;
    char text[];
};

static struct message **place;

/* Before the program runs: dlsym would take from it what dlerror returns next. */
__attribute__((constructor)) static void find_place(void) {
    place = (struct message **)dlsym(RTLD_NEXT, "__abort_msg");
}

const char *last_words(void) {
    const struct message *said = place ? *place : NULL;
    return said && os_readable((uintptr_t)said->text) ? said->text : NULL;
}
