// A stream is closed twice.
#include <stdio.h>

int main(void) {
    FILE *log = fopen("/dev/null", "w");
    FILE *same = log;
    if (!log || fputs("text", log) < 0)
        return 1;
    fclose(log);
    return same != log;
}
