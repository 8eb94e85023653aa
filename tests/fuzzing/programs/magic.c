/* What lies behind values that chance does not meet: an integer, a text, a switch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments) {
    static char text[64];
    FILE *file = count > 1 ? fopen(arguments[1], "rb") : stdin;
    if (!file) return 2;
    size_t size = fread(text, 1, sizeof text - 1, file);
    char *copy = malloc(8);
    if (!copy) return 1;
    unsigned word;
    memcpy(&word, text, sizeof word);
    if (size >= 13 && word == 0xCAFEBABE && !strncmp(text + 4, "MAGIC", 5)) {
        memcpy(&word, text + 9, sizeof word);
        switch (word) {
        case 123456789: copy[LENGTH] = 1; break;
        case 987654321: copy[7] = 1; break;
        }
    }
    free(copy);
    return 0;
}
