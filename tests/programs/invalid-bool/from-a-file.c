// A record from a file holds a bool that is 2.
// RUN: options --enable invalid-bool
#include <stdbool.h>
#include <string.h>

struct record {
    int id;
    bool active;
};

static int count(const struct record *record) {
    return record->active ? record->id : 0; // EXPECT invalid-bool
}

int main(int argc, char **argv) {
    (void)argv;
    unsigned char bytes[sizeof(struct record)] = {1, 0, 0, 0, (unsigned char)(1 + argc)};
    struct record record[2];
    memcpy(&record[argc], bytes, sizeof bytes);
    return count(&record[argc]) == 77;
}
