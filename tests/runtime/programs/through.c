/* Blocks that the C library allocates, and callbacks that it calls. */
#include "common.h"

static char *dead;

static int compare(const void *a, const void *b) {
    LOAD(dead, dead, 1);
    return *(const char *)a - *(const char *)b;
}

NOINLINE static void read_line(FILE *file) {
    size_t size = 0;
    REQUIRE(getline(&dead, &size, file) > 0);
}

NOINLINE static void sort(char *text) { qsort(text, strlen(text), 1, compare); }

int main(void) {
    char text[] = "sort me";
    FILE *file = fopen("/proc/self/status", "r");
    read_line(file);
    fclose(file);
    free(dead);
    sort(text);
    return 0;
}
