// A record is lost, and with it the name that it owns.
// RUN: options --enable indirect-leak
#include <stdlib.h>
#include <string.h>

struct record {
    char *name;
    int age;
};

static struct record *newest;

__attribute__((noinline)) static void enter(const char *name, int age) {
    newest = malloc(sizeof *newest); // EXPECT definite-leak block 16 count 1 bytes 16
    newest->name = malloc(30); // EXPECT indirect-leak block 30 count 1 bytes 30 indirect 1
    strcpy(newest->name, name);
    newest->age = age;
}

int main(void) {
    enter("Ada", 36);
    newest = NULL;
    return 0;
}
