// A signal handler uses the buffer that the program has just freed.
#include <signal.h>
#include <stdlib.h>

static char *volatile buffer;
static volatile sig_atomic_t count;

static void on_signal(int number) {
    if (buffer)
        buffer[0] = (char)number; // EXPECT dangling-pointer-dereference write 1 block 30 inside 0
    count++;
}

int main(void) {
    signal(SIGUSR2, on_signal);
    buffer = malloc(30); // ALLOC
    raise(SIGUSR2);
    free(buffer); // FREE
    raise(SIGUSR2);
    return count != 2;
}
