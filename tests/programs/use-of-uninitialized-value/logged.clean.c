// A function for messages passes its arguments on to vfprintf, which are set.
// RUN: options --enable use-of-uninitialized-value
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct connection {
    int port;
    long sent;
    char state;
};

__attribute__((noinline)) static void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stdout, format, arguments);
    va_end(arguments);
}

int main(void) {
    struct connection *connection = malloc(sizeof *connection);
    if (!connection)
        return 1;
    connection->port = 80;
    connection->state = 'o';
    connection->sent = 0;
    say("%d: %c, %ld bytes\n", connection->port, connection->state, connection->sent);
    free(connection);
    return 0;
}
