// A function for messages passes its arguments on to vfprintf, and one was never set.
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
    vfprintf(stdout, format, arguments); // EXPECT use-of-uninitialized-value use memory in vfprintf
    va_end(arguments);
}

int main(void) {
    struct connection *connection = malloc(sizeof *connection); // BORN
    if (!connection)
        return 1;
    connection->port = 80;
    connection->state = 'o';
    say("%d: %c, %ld bytes\n", connection->port, connection->state, connection->sent);
    free(connection);
    return 0;
}
