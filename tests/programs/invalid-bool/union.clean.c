// The number is compared.
// RUN: options --enable invalid-bool
#include <stdbool.h>

union setting {
    int number;
    bool on;
};

static int is_on(const union setting *setting) {
    return setting->number != 0;
}

int main(int argc, char **argv) {
    (void)argv;
    union setting setting = {.number = 4 * argc};
    return is_on(&setting) == 77;
}
