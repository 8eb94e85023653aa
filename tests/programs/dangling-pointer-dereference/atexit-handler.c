// A function registered with atexit writes a log buffer that main has freed.
#include <stdlib.h>

static int *log_entries;

static void flush_log(void) {
    log_entries[0]++; // EXPECT dangling-pointer-dereference read 4 block 44 inside 0
}

int main(void) {
    log_entries = calloc(11, sizeof *log_entries); // ALLOC
    atexit(flush_log);
    free(log_entries); // FREE
    return 0;
}
