// Calls with a length of zero: at the end of a block, at the null pointer, at a freed block's
// address.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    size_t none = argc - 1;
    char *p = malloc(24);
    char *end = p + 24;
    memset(p, 'x', 24);
    memcpy(end, p, none);
    memmove(p, end, none);
    memset(end, 0, none);
    int sum = memcmp(end, p, none);
    sum += strncmp(end, p, none);
    sum += memchr(end, 'x', none) != NULL;
    strncpy(end, "abc", none);
    sum += (int)strnlen(end, none);
    sum += (int)fwrite(end, 1, none, stdout);
    sum += (int)fread(end, none, 5, stdin);
    sum += (int)read(0, end, none);
    sum += snprintf(end, none, "%s", "") != 0;
    char *copy = strndup(end, none);
    sum += copy[0];
    free(copy);
    void *nothing = NULL;
    memcpy(nothing, nothing, none);
    memset(nothing, 0, none);
    qsort(nothing, none, 8, NULL);
    free(p);
    memcpy(p, p, none);
    return sum;
}
