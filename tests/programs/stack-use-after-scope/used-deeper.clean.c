// A function finds a text in the memory of its caller, which another function copies.
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static char *find(int number, char *text) {
    snprintf(text, 32, "item %d", number);
    return strchr(text, 'i');
}

__attribute__((noinline)) static int copy(const char *from) {
    char to[64];
    memset(to, 0, sizeof to);
    for (int i = 0; i < 63 && from[i]; i++)
        to[i] = from[i];
    return to[0] + to[3];
}

int main(int argc, char **argv) {
    (void)argv;
    char text[32];
    return copy(find(argc, text)) == 0;
}
