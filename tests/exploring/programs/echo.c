/* Prints its arguments; -n leaves the end of the line out, and -e reads escapes. */
#include <stdio.h>
#include <string.h>

static int escape(const char **at) {
    switch (*++*at) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case '\\':
        return '\\';
    case '\0':
        --*at;
        return '\\';
    default:
        return **at;
    }
}

static void print(const char *word, int escapes) {
    for (; *word; word++)
        putchar(escapes && *word == '\\' ? escape(&word) : *word);
}

int main(int count, char **words) {
    int first = 1, line = 1, escapes = 0;
    for (; first < count && words[first][0] == '-' && words[first][1] && !words[first][2]; first++)
        if (words[first][1] == 'n')
            line = 0;
        else if (words[first][1] == 'e')
            escapes = 1;
        else
            break;
    for (int i = first; i < count; i++) {
        print(words[i], escapes);
        if (i + 1 < count)
            putchar(' ');
    }
    if (line)
        putchar('\n');
    return 0;
}
