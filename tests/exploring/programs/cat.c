/* Copies standard input: -n numbers lines, -E shows their ends, -T tabs, -v other bytes that do not
 * print, -s makes one of several empty lines; letters may share a word, and - is standard input. */
#include <stdio.h>

static struct {
    int number, ends, tabs, visible, squeeze;
} show;

static int option(char letter) {
    switch (letter) {
    case 'n':
        return show.number = 1;
    case 'E':
        return show.ends = 1;
    case 'T':
        return show.tabs = 1;
    case 'v':
        return show.visible = 1;
    case 's':
        return show.squeeze = 1;
    default:
        return 0;
    }
}

static void put(int byte) {
    if (byte == '\t' && show.tabs) {
        printf("^I");
    } else if (show.visible && byte != '\t' && (byte < ' ' || byte == 127)) {
        putchar('^');
        putchar(byte ^ 64);
    } else {
        putchar(byte);
    }
}

static void copy(FILE *file) {
    int line = 0, begins = 1, empty = 0;
    for (int byte; (byte = getc(file)) != EOF; begins = byte == '\n') {
        empty = begins && byte == '\n' ? empty + 1 : 0;
        if (show.squeeze && empty > 1)
            continue;
        if (begins && show.number)
            printf("%6d\t", ++line);
        if (byte != '\n') {
            put(byte);
            continue;
        }
        if (show.ends)
            putchar('$');
        putchar('\n');
    }
}

int main(int count, char **words) {
    int copied = 0;
    for (int i = 1; i < count; i++) {
        const char *word = words[i];
        if (word[0] == '-' && word[1]) {
            while (*++word)
                if (!option(*word))
                    return 2;
        } else if (word[0] == '-') {
            copy(stdin), copied = 1;
        } else {
            return 1;
        }
    }
    if (!copied)
        copy(stdin);
    return 0;
}
