// A function is called in a loop; what its first call has copied is used after the last one.
#include <string.h>

static char copy[12];
static const char *first;

__attribute__((noinline)) static unsigned hash(const char *text) {
    unsigned value = 5381;
    char room[40] = {0};
    for (int i = 0; i < 8; i++)
        room[i * 5] = text[i];
    for (int i = 0; i < 40; i++)
        value = value * 33 + (unsigned char)room[i];
    return value;
}

__attribute__((noinline)) static void note(int number) {
    char name[12];
    for (int i = 0; i < 12; i++)
        name[i] = (char)('a' + (number + i) % 26);
    if (!first) first = memcpy(copy, name, sizeof name);
}

int main(int argc, char **argv) {
    (void)argv;
    for (int i = 0; i < 2000; i++)
        note(argc + i);
    return hash(first) == 1;
}
