// The program ends inside of main, whose local variable still points to the block: it is in scope.
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static char *make(void) {
    return malloc(10);
}

__attribute__((noinline)) static void finish(int status) {
    char *name = calloc(1, 20);
    printf("%d\n", name[0] + status);
    exit(status);
}

int main(void) {
    char *p = make();
    p[0] = 1;
    printf("%d\n", p[0]);
    finish(0);
    return p == NULL;
}
