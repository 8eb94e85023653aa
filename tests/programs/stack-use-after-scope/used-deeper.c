// The address of a variable is used in a function whose frame lies where the variable was.
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static char *find(int number) {
    char text[32];
    snprintf(text, sizeof text, "item %d", number);
    return strchr(text, 'i');
}

__attribute__((noinline)) static int copy(const char *from) {
    char to[64];
    memset(to, 0, sizeof to);
    for (int i = 0; i < 63 && from[i]; i++)  // EXPECT stack-use-after-scope read 1 block 32 inside 0
        to[i] = from[i];
    return to[0] + to[3];
}

int main(int argc, char **argv) {
    (void)argv;
    return copy(find(argc)) == 0;
}
