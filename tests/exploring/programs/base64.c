/* Encodes standard input in base 64; -d decodes, and -i skips what is no letter of the alphabet. */
#include <stdio.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int value_of(int letter) {
    if (letter >= 'A' && letter <= 'Z')
        return letter - 'A';
    if (letter >= 'a' && letter <= 'z')
        return letter - 'a' + 26;
    if (letter >= '0' && letter <= '9')
        return letter - '0' + 52;
    return letter == '+' ? 62 : letter == '/' ? 63 : -1;
}

static void encode(void) {
    for (;;) {
        unsigned char in[3] = {0};
        size_t size = fread(in, 1, sizeof in, stdin);
        if (!size)
            break;
        putchar(letters[in[0] >> 2]);
        putchar(letters[(in[0] & 3) << 4 | in[1] >> 4]);
        putchar(size < 2 ? '=' : letters[(in[1] & 15) << 2 | in[2] >> 6]);
        putchar(size < 3 ? '=' : letters[in[2] & 63]);
        if (size < sizeof in)
            break;
    }
    putchar('\n');
}

static int decode(int skips) {
    unsigned bits = 0, count = 0;
    for (int letter; (letter = getchar()) != EOF && letter != '=';) {
        int value = value_of(letter);
        if (value < 0 && (skips || letter == '\n'))
            continue;
        if (value < 0)
            return 1;
        bits = bits << 6 | (unsigned)value;
        if (count++ % 4)
            putchar((int)(bits >> (6 - 2 * ((count - 1) % 4)) & 255));
    }
    return count % 4 == 1;
}

int main(int count, char **words) {
    int decodes = 0, skips = 0, ended = 0;
    for (int i = 1; i < count; i++) {
        const char *word = words[i];
        if (ended || word[0] != '-' || !word[1])
            return 2;
        if (word[1] == '-' && !word[2]) {
            ended = 1;
            continue;
        }
        while (*++word) {
            decodes |= *word == 'd';
            skips |= *word == 'i';
            if (*word != 'd' && *word != 'i')
                return 2;
        }
    }
    if (decodes)
        return decode(skips);
    encode();
    return 0;
}
