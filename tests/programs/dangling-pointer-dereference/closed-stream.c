// A stream is written to after fclose.
#include <stdio.h>

int main(void) {
    FILE *log = fopen("/dev/null", "w"); // ALLOC
    if (!log)
        return 1;
    fprintf(log, "begin\n");
    fclose(log); // FREE
    fprintf(log, "end\n"); // EXPECT dangling-pointer-dereference read 4 inside 0 in fprintf
    return 0;
}
