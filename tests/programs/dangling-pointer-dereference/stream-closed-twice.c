// A stream is closed twice.
#include <stdio.h>

int main(void) {
    FILE *log = fopen("/dev/null", "w"); // ALLOC
    FILE *same = log;
    if (!log || fputs("text", log) < 0)
        return 1;
    fclose(log); // FREE
    return fclose(same); // EXPECT dangling-pointer-dereference read 4 inside 0 in fclose
}
