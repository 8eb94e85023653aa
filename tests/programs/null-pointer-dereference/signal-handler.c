// A signal comes before the object that its handler uses is there.
#include <signal.h>
#include <stdlib.h>

static struct state {
    char pad[12];
    unsigned char hits;
} *volatile state;

static void on_signal(int number) {
        state->hits = 1; // EXPECT null-pointer-dereference write 1 address 12
}

int main(void) {
    signal(SIGALRM, on_signal);
    raise(SIGALRM);
    return 0;
}
