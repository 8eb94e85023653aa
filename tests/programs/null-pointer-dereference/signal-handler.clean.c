// A signal comes before the object that its handler tests is there.
#include <signal.h>
#include <stdlib.h>

static struct state {
    char pad[12];
    unsigned char hits;
} *volatile state;

static void on_signal(int number) {
    if (state)
        state->hits = 1;
}

int main(void) {
    signal(SIGALRM, on_signal);
    raise(SIGALRM);
    return 0;
}
