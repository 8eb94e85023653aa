// A record is written to a file as it lies in memory, and all of it was set.
// RUN: options --enable use-of-uninitialized-value --tier full
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct record {
    char kind;
    int number;
};

int main(int argc, char **argv) {
    (void)argv;
    struct record record;
    memset(&record, 0, sizeof record);
    record.kind = (char)argc;
    record.number = argc;
    int file = open("/dev/null", O_WRONLY);
    if (file < 0)
        return 1;
    write(file, &record, sizeof record);
    return close(file);
}
