// A signal handler writes the last byte of a block.
#include <signal.h>
#include <stdlib.h>

static char *volatile buffer;

static void on_signal(int number) {
    buffer[25] = (char)number;
}

int main(void) {
    buffer = malloc(26);
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    free(buffer);
    return 0;
}
