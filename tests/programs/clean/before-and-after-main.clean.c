// Allocation in constructors, preinit code and atexit handlers, and freeing in destructors.
#include <stdlib.h>
#include <string.h>

static char *early, *late;

__attribute__((constructor(101))) static void first(void) {
    early = strdup("early");
}

__attribute__((constructor)) static void second(void) {
    early = realloc(early, 100);
    strcat(early, " and more");
}

static void at_end(void) {
    late = malloc(10);
    strcpy(late, "late");
}

__attribute__((destructor)) static void last(void) {
    if (strcmp(late, "late") || strcmp(early, "early and more"))
        abort();
    free(late);
    free(early);
}

int main(void) {
    return atexit(at_end) || strcmp(early, "early and more");
}
