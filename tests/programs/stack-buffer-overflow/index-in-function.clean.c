// A local array is written up to its end by an index, in the function that declares it.
#include <stdlib.h>

int main(int argc, char **argv) {
    int last = atoi("10");
    int values[10];
    for (int i = 0; i < last; i++)
        values[i] = argc;
    return values[argc] != argc;
}
