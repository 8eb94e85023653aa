/* Memory that had labels, and has other contents now: written by code that is not checked, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    char *buffer = malloc(64);
    if (read(0, buffer, 63) < 0) return 1;
    char first = buffer[0];
    time_t zero = 0;
    struct tm then;
    gmtime_r(&zero, &then);
    asctime_r(&then, buffer);
    strcpy(buffer, "true ");
    buffer[6] = 0;
#ifdef CLEAN
    buffer[5] = first == 'x' ? ' ' : 'y';
#else
    buffer[5] = first;
#endif
    int status = system(buffer); // expect: foreign-command
    free(buffer);
    return status;
}
