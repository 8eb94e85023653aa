// A function is called in a loop; the address that its first call has left is used after the last one.
static const char *first;

__attribute__((noinline)) static unsigned hash(const char *text) {
    unsigned value = 5381;
    char room[40] = {0};
    for (int i = 0; i < 8; i++)
        room[i * 5] = text[i];  // EXPECT stack-use-after-scope read 1 block 12 inside 0
    for (int i = 0; i < 40; i++)
        value = value * 33 + (unsigned char)room[i];
    return value;
}

__attribute__((noinline)) static void note(int number) {
    char name[12];
    for (int i = 0; i < 12; i++)
        name[i] = (char)('a' + (number + i) % 26);
    if (!first) first = name;
}

int main(int argc, char **argv) {
    (void)argv;
    for (int i = 0; i < 20; i++)
        note(argc + i);
    return hash(first) == 1;
}
