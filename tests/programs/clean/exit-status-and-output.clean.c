// A program that checks nothing but ends with a status and output of its own, through exit in a
// nested function.
// RUN: status 37
// RUN: stdout "partial line"
#include <stdio.h>
#include <stdlib.h>

static void leave(int *p) {
    int status = *p;
    free(p);
    exit(status);
}

int main(void) {
    int *p = malloc(sizeof *p);
    *p = 37;
    printf("partial line");
    leave(p);
}
