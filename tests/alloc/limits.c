/* More blocks than the system has mappings for, or memory that is limited: all of them must work. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define COUNT 40000

int main(int count, char **words) {
    static char *small[COUNT], *large[300];
    (void)words;
    if (count > 1 && !malloc((size_t)1 << 45) && errno != ENOMEM) return 1;
    for (int i = 0; i < COUNT; i++) {
        small[i] = malloc(20 + i % 50);
        memset(small[i], i, 20 + i % 50);
    }
    for (int i = 0; i < 300; i++) {
        large[i] = calloc(1, 20000 + i);
        large[i][19999] = (char)i;
        large[i] = realloc(large[i], 40000);
    }
    for (int i = 0; i < COUNT; i++) {
        if (small[i][19] != (char)i) return 2;
        free(small[i]);
    }
    for (int i = 0; i < 300; i++) {
        if (large[i][19999] != (char)i) return 3;
        free(large[i]);
    }
    puts("done");
    return 0;
}
