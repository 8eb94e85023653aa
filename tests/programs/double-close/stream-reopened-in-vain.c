// Standard input cannot be opened again, which closes it; its descriptor is closed once more.
// RUN: options --enable double-close
#include <stdio.h>
#include <unistd.h>

int main(void) {
    if (!freopen("/nonexistent/input", "r", stdin))
        close(STDIN_FILENO); // EXPECT double-close in close
    return 0;
}
