// Standard input is opened again as another file, whose descriptor is closed.
// RUN: options --enable double-close
#include <stdio.h>
#include <unistd.h>

int main(void) {
    if (freopen("/dev/null", "r", stdin))
        close(STDIN_FILENO);
    return 0;
}
