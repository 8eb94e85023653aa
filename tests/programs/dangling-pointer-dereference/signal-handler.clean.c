// A signal handler uses the buffer only while the program says it is there.
#include <signal.h>
#include <stdlib.h>

static char *volatile buffer;
static volatile sig_atomic_t count;

static void on_signal(int number) {
    if (buffer)
        buffer[0] = (char)number;
    count++;
}

int main(void) {
    signal(SIGUSR2, on_signal);
    buffer = malloc(30);
    raise(SIGUSR2);
    char *old = buffer;
    buffer = NULL;
    free(old);
    raise(SIGUSR2);
    return count != 2;
}
