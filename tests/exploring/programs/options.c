/* The status says which options were given, and what is left. With BRUTE_FORCE it prints the statuses
 * of all pairs of words with up to three of the letters that matter. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A path of its own, as a choice between constants is not. */
static int begins(const char *word) {
    if (word && word[0] == 'x')
        return 1;
    return 0;
}

static int parse(int count, char **words) {
    static const struct option options[] = {
        {"b", no_argument, NULL, 'b'}, {"n", optional_argument, NULL, 'N'}, {NULL, 0, NULL, 0}};
    int option, status = 0;
    while ((option = getopt_long(count, words, "an:", options, NULL)) != -1) {
        if (option == 'a')
            status |= 1;
        else if (option == 'n')
            status |= 2 | begins(optarg) << 2;
        else if (option == 'b')
            status |= 8;
        else if (option == 'N')
            status |= 16 | begins(optarg) << 2;
        else
            return 128;
    }
    if (optind < count)
        status |= 32 | begins(words[optind]) << 6;
    return status;
}

#ifdef BRUTE_FORCE
#define LETTERS "-abnx="
static char all[259][4];

int main(void) {
    int number = 1;
    for (int from = 0; from < number && strlen(all[from]) < 3; from++)
        for (const char *letter = LETTERS; *letter; letter++)
            sprintf(all[number++], "%s%c", all[from], *letter);
    opterr = 0;
    for (int i = 0; i < number; i++) {
        for (int k = 0; k < number; k++) {
            optind = 0;
            printf("%d\n", parse(3, (char *[]){"options", all[i], all[k], NULL}));
        }
    }
}
#else
int main(int count, char **words) { return parse(count, words); }
#endif
