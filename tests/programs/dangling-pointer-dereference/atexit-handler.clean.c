// A function registered with atexit writes a log buffer and frees it.
#include <stdlib.h>

static int *log_entries;

static void flush_log(void) {
    log_entries[0]++;
    free(log_entries);
}

int main(void) {
    log_entries = calloc(11, sizeof *log_entries);
    atexit(flush_log);

    return 0;
}
