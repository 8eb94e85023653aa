// A stream is written to after fclose.
#include <stdio.h>

int main(void) {
    FILE *log = fopen("/dev/null", "w");
    if (!log)
        return 1;
    fprintf(log, "begin\n");
    fprintf(log, "end\n");
    fclose(log);
    return 0;
}
