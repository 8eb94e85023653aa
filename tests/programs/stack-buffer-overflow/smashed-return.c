// A copy into an array of an inlined function is as long as its source: without checks it overwrites the return address.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void sink(char *data) {
    char dest[50] = "";
    memmove(dest, data, strlen(data) * sizeof(char)); // EXPECT stack-buffer-overflow write 99 block 50 inside 0 in memmove
    dest[49] = 0;
    puts(dest);
}

int main(void) {
    char *data = malloc(100);
    memset(data, 'A', 99);
    data[99] = 0;
    sink(data);
    free(data);
}
