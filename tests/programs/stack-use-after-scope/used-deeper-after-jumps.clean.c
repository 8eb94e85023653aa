// As many jumps, and a function that finds a text in the memory of its caller.
#include <alloca.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static jmp_buf back;
static const int *kept;

__attribute__((noinline)) static void leave(const int *p) {
    kept = p;
    longjmp(back, 1);
}

__attribute__((noinline)) static void begin(int number) {
    int outlives = number;
    leave(&outlives);
    printf("%d\n", outlives);
}

__attribute__((noinline)) static void begin_below(int by) {
    volatile char *room = alloca(by);
    room[0] = 1;
    begin(room[0]);
}

__attribute__((noinline)) static char *find(int number, char *text) {
    snprintf(text, 32, "item %d", number);
    return strchr(text, 'i');
}

__attribute__((noinline)) static int copy(const char *from) {
    char to[512];
    memset(to, 0, sizeof to);
    for (int i = 0; i < 511 && from[i]; i++)
        to[i] = from[i];
    return to[0] + to[3];
}

__attribute__((noinline)) static int copy_below(int number) {
    volatile char *room = alloca(1024);
    char text[32];
    room[0] = 1;
    return copy(find(number, text)) + room[0];
}

int main(int argc, char **argv) {
    (void)argv;
    for (volatile int by = 16; by < 640; by += 16)
        if (!setjmp(back)) begin_below(by);
    return copy_below(argc) == 0;
}
