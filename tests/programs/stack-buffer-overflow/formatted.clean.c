// What snprintf may write is as much as the local array holds.
#include <stdio.h>

int main(int argc, char **argv) {
    char line[12];
    int count = snprintf(line, sizeof line, "argument %d of %d", argc, argc);
    return count != 15;
}
