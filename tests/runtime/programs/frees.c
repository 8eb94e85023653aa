#include "common.h"
int main(int argc, char **argv) {
    char *a = malloc(20);
    printf("%p", (void *)a); /* not flushed by the program */
    if (IS("double")) {
        free(a);
        free(a);
    }
    if (IS("middle")) free(a + 8);
    if (IS("stack")) free(&argc);
    if (IS("text")) free((void *)main);
    if (IS("wild")) free((void *)0x123456789abcdef0);
    if (IS("slot")) free(a + 32);
    if (IS("realloc")) {
        free(a);
        a = realloc(a, 50);
    }
    if (IS("mismatch")) {
        extern void _ZdlPv(void *);
        _ZdlPv(a);
        a = NULL;
    }
    if (IS("null")) {
        free(NULL);
        free(a);
    }
    if (IS("realloc-zero")) REQUIRE(realloc(a, 0) == NULL);
    return 0;
}
