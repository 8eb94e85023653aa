// A record is written to a file as it lies in memory, with bytes between its members that nobody has set.
// RUN: options --enable use-of-uninitialized-value --tier full
#include <fcntl.h>
#include <unistd.h>

struct record {
    char kind;
    int number;
};

int main(int argc, char **argv) {
    (void)argv;
    struct record record; // BORN
    record.kind = (char)argc;
    record.number = argc;
    int file = open("/dev/null", O_WRONLY);
    if (file < 0)
        return 1;
    write(file, &record, sizeof record); // EXPECT use-of-uninitialized-value use memory in write
    return close(file);
}
