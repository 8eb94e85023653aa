/* Translates bytes: tr SET1 SET2, where sets are bytes and ranges, the last byte of SET2 being
 * repeated; tr -d SET1 deletes. */
#include <stdio.h>
#include <string.h>

static int expand(const char *text, unsigned char *set) {
    int size = 0;
    for (; *text; text++) {
        if (text[1] == '-' && text[2]) {
            if (text[0] > text[2])
                return -1;
            for (int byte = text[0]; byte <= text[2]; byte++)
                set[size++] = (unsigned char)byte;
            text += 2;
        } else {
            set[size++] = (unsigned char)*text;
        }
    }
    return size;
}

int main(int count, char **words) {
    unsigned char from[64], to[64], table[256];
    int deletes = count > 1 && strcmp(words[1], "-d") == 0;
    if (count < 3)
        return 1;
    int given = expand(words[1 + deletes], from), wanted = deletes ? 0 : expand(words[2], to);
    if (given < 0 || wanted < 0)
        return 2;
    for (int i = 0; i < 256; i++)
        table[i] = (unsigned char)i;
    for (int i = 0; i < given; i++)
        table[from[i]] = deletes ? 0 : to[i < wanted ? i : wanted - 1];
    for (int byte; (byte = getchar()) != EOF;)
        if (!deletes || table[byte])
            putchar(table[byte]);
    return 0;
}
