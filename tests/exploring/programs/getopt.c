/* Calls the C library's getopt and the text in its place, whose name is TEXT, with the same random
 * arguments, and prints where results, variables, messages or the order of the words differ. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int short_options(int, char *const *, const char *);
typedef int long_options(int, char *const *, const char *, const struct option *, int *);
struct functions {
    short_options *plain;
    long_options *with_long, *only_long;
};
static const struct functions of_library = {getopt, getopt_long, getopt_long_only};
#define getopt text_getopt
#define getopt_long text_getopt_long
#define getopt_long_only text_getopt_long_only
#include TEXT
static const struct functions of_text = {getopt, getopt_long, getopt_long_only};

static const char *const letters[] = {"ab:c::",  "+ab:c::",  "-ab:c::", ":ab:c::", "+:ab:",
                                      "-:aW;b:", "W;a", "",         ":",       "a;b"};
static int flag;
static const struct option options[] = {
    {"all", 0, NULL, 'A'},   {"also", 1, NULL, 'B'}, {"alternative", 2, NULL, 'C'},
    {"b", 1, NULL, 'D'},     {"same", 0, NULL, 'E'}, {"samely", 0, NULL, 'E'},
    {"flag", 0, &flag, 7}, {"flagged", 1, &flag, 9}, {NULL, 0, NULL, 0}};
static const char *const known[] = {
    "-a",    "-b",     "-bx",   "-ab",  "-c",         "-cx",    "-",        "--",     "x",    "yy",
    "--all", "--al",   "--also", "--also=1", "--all=2", "--alt", "--alt=",  "--b",    "-b=",  "-all",
    "-also", "--sam",  "-sa",   "--flag", "--flagged=1", "--zzz", "-zzz",   "-W",     "-Wall", "-Walso=3",
    "all",   "-;",     "-:",    "-z",   "-acx",       "--flagg", "",        "--=",    "-=",   "-s",
    "--same=x", "-alt=9"};
#define NUMBER(array) (sizeof(array) / sizeof *(array))

/* What all calls of one kind give, as text, and whether they came to an end. */
static char *called(const struct functions *of, int kind, int count, char **words, const char *wanted,
                    int *ended) {
    char *text, *messages;
    size_t size;
    FILE *out = open_memstream(&text, &size), *usual = stderr;
    stderr = open_memstream(&messages, &size);
    flag = 0;
    *ended = 0;
    for (int i = 0; i < 40 && !*ended; i++) {
        int index = -5;
        int result = kind == 0   ? of->plain(count, words, wanted)
                     : kind == 1 ? of->with_long(count, words, wanted, options, &index)
                                 : of->only_long(count, words, wanted, options, &index);
        *ended = result == -1;
        fprintf(out, "%d: %d %s %d %d %d:", result, optind, optarg ? optarg : "none", optopt, index, flag);
        for (int k = 0; k < count; k++) fprintf(out, " %s", words[k]);
        fprintf(out, "\n");
    }
    fclose(stderr);
    stderr = usual;
    fprintf(out, "%s", messages);
    fclose(out);
    free(messages);
    return text;
}

int main(int given, char **arguments) {
    int times = given > 1 ? atoi(arguments[1]) : 0, ended = 0, differ = 0;
    srand(times);
    for (int i = 0; i < times; i++) {
        char *one[8] = {"program"}, *other[8] = {"program"};
        int count = 1 + rand() % 7, kind = rand() % 3;
        for (int k = 1; k < count; k++) one[k] = other[k] = (char *)known[(unsigned)rand() % NUMBER(known)];
        const char *wanted = letters[(unsigned)rand() % NUMBER(letters)];
        if (rand() % 9 == 0)
            setenv("POSIXLY_CORRECT", "1", 1);
        else
            unsetenv("POSIXLY_CORRECT");
        int begin = ended && rand() % 8 == 0; /* 0: from the very beginning */
        opterr = rand() % 4 != 0;
        optind = begin;
        char *right = called(&of_library, kind, count, one, wanted, &ended);
        optind = begin;
        char *text = called(&of_text, kind, count, other, wanted, &ended);
        if (strcmp(right, text)) {
            differ++;
            printf("kind %d, letters '%s':\n%sbut:\n%s", kind, wanted, right, text);
        }
        free(right);
        free(text);
    }
    return differ != 0;
}
