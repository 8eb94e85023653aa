// A signal handler writes after the end of a block.
#include <signal.h>
#include <stdlib.h>

static char *volatile buffer;

static void on_signal(int number) {
    buffer[26] = (char)number; // EXPECT heap-buffer-overflow write 1 block 26 after 0
}

int main(void) {
    buffer = malloc(26); // ALLOC
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    free(buffer);
    return 0;
}
