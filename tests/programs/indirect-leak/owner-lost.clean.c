// A record is freed, and so is the name that it owns.
// RUN: options --enable indirect-leak
#include <stdlib.h>
#include <string.h>

struct record {
    char *name;
    int age;
};

static struct record *newest;

__attribute__((noinline)) static void enter(const char *name, int age) {
    newest = malloc(sizeof *newest);
    newest->name = malloc(30);
    strcpy(newest->name, name);
    newest->age = age;
}

int main(void) {
    enter("Ada", 36);
    free(newest->name);
    free(newest);
    newest = NULL;
    return 0;
}
