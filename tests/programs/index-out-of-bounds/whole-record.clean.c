// The name is filled with its own length, and an empty end of it is cleared.
// RUN: options --enable index-out-of-bounds
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    char name[16];
    const char *address;
    int number;
};

int main(int argc, char **argv) {
    (void)argv;
    static const char line[40] = "a name of a record with other fields..";
    struct record *record = malloc(sizeof *record);
    if (record == NULL)
        return 1;
    record->address = line;
    record->number = argc;
    memcpy(record->name, line, sizeof record->name);
    memset(&record->name[argc + 15], 0, (size_t)argc - 1);
    record->name[15] = 0;
    puts(record->name);
    free(record);
    return 0;
}
