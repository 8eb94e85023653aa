// A copy into an array of an inlined function is as long as the array.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void sink(char *data) {
    char dest[50] = "";
    memmove(dest, data, strlen(data) * sizeof(char));
    dest[49] = 0;
    puts(dest);
}

int main(void) {
    char *data = malloc(100);
    memset(data, 'A', 49);
    data[49] = 0;
    sink(data);
    free(data);
}
