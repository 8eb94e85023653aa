// The name is filled with the length of the whole record, and takes the address behind it along.
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
    memcpy(record->name, line, sizeof *record); // EXPECT index-out-of-bounds
    record->name[15] = 0;
    puts(record->name);
    free(record);
    return 0;
}
