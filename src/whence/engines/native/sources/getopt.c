/* getopt, getopt_long and getopt_long_only, as the GNU C Library's manual describes them
 * ("Parsing program options using getopt", "Parsing Long Options with getopt_long").
 *
 * They stand in the place of the library's own where a program is explored, so that their decisions
 * about symbolic arguments are those of code that is followed. The variables of the interface are
 * the library's. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

/* What is done with an argument that is no option. */
enum order { GOES_BEHIND, ENDS_OPTIONS, IS_OPTION_ONE };

/* The state between calls. */
static struct {
    int begun;
    enum order order;
    char *rest;     /* what follows in a word of short options; NULL or empty: the next word's turn */
    int first, end; /* the words that are no options and that later ones are to come before */
    int wrong;      /* optopt, which every call writes */
} state;

struct request {
    int count;
    char **words;
    const char *letters; /* without the signs in front */
    const struct option *options;
    int *index;
    int is_quiet, may_be_single;
};

static int is_no_option(const char *word) { return word[0] != '-' || !word[1]; }

static const char *find(const char *letters, char letter) {
    for (; *letters; letters++)
        if (*letters == letter) return letters;
    return NULL;
}

static void reverse(char **words, int begin, int end) {
    while (begin < --end) {
        char *word = words[begin];
        words[begin++] = words[end];
        words[end] = word;
    }
}

/* The words up to optind come before those that are no options. */
static void bring_forward(char **words) {
    int moved = optind - state.end;
    reverse(words, state.first, state.end);
    reverse(words, state.end, optind);
    reverse(words, state.first, optind);
    state.first += moved;
    state.end = optind;
}

/* What a missing argument is, for the caller. */
static int missing(const struct request *made) { return made->letters[0] == ':' ? ':' : '?'; }

/* ---- long options ---- */

/* 0: no, 1: its beginning, 2: the whole of it. */
static int names(const char *given, const char *name) {
    for (; *given && *given != '='; given++, name++)
        if (*given != *name) return 0;
    return *name ? 1 : 2;
}

static int differ(const struct option *one, const struct option *other) {
    return one->has_arg != other->has_arg || one->flag != other->flag || one->val != other->val;
}

/* Prints the options that a beginning may stand for: the first, and those that are not the same. */
static void list_possible(const struct request *made, const char *dashes) {
    const struct option *first = NULL;
    fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", made->words[0], dashes,
            state.rest);
    for (const struct option *each = made->options; each->name; each++) {
        if (!names(state.rest, each->name)) continue;
        if (!first || made->may_be_single || differ(first, each))
            fprintf(stderr, " '%s%s'", dashes, each->name);
        if (!first) first = each;
    }
    fprintf(stderr, "\n");
}

/* The option that state.rest names. NULL: none, and *how_many is how many it may stand for. */
static const struct option *named(const struct request *made, int *how_many) {
    const struct option *found = NULL;
    *how_many = 0;
    for (const struct option *each = made->options; each->name; each++)
        if (names(state.rest, each->name) == 2) return each;
    for (const struct option *each = made->options; each->name; each++) {
        if (!names(state.rest, each->name)) continue;
        if (!found) {
            found = each;
            *how_many = 1;
        } else if (made->may_be_single || differ(found, each)) {
            *how_many = 2;
        }
    }
    return *how_many == 1 ? found : NULL;
}

static int refuse_long(void) {
    state.rest = NULL;
    optind++;
    state.wrong = 0;
    return '?';
}

/* The long option in state.rest; -1: it may be short ones. */
static int take_long(const struct request *made, const char *dashes) {
    int how_many;
    const struct option *option = named(made, &how_many);
    if (how_many > 1) {
        if (!made->is_quiet) list_possible(made, dashes);
        return refuse_long();
    }
    if (!option) {
        int is_long = !made->may_be_single || made->words[optind][1] == '-';
        if (!is_long && find(made->letters, *state.rest)) return -1;
        if (!made->is_quiet)
            fprintf(stderr, "%s: unrecognized option '%s%s'\n", made->words[0], dashes, state.rest);
        return refuse_long();
    }
    char *behind = state.rest;
    while (*behind && *behind != '=') behind++;
    optind++;
    state.rest = NULL;
    if (*behind) {
        if (!option->has_arg) {
            if (!made->is_quiet)
                fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n", made->words[0], dashes,
                        option->name);
            state.wrong = option->val;
            return '?';
        }
        optarg = behind + 1;
    } else if (option->has_arg == required_argument) {
        if (optind >= made->count) {
            if (!made->is_quiet)
                fprintf(stderr, "%s: option '%s%s' requires an argument\n", made->words[0], dashes,
                        option->name);
            state.wrong = option->val;
            return missing(made);
        }
        optarg = made->words[optind++];
    }
    if (made->index) *made->index = (int)(option - made->options);
    if (!option->flag) return option->val;
    *option->flag = option->val;
    return 0;
}

/* ---- short options ---- */

/* The argument that has to follow the letter; NULL: there is none. */
static char *following(const struct request *made, char letter) {
    if (*state.rest) {
        optind++;
        return state.rest;
    }
    if (optind < made->count) return made->words[optind++];
    if (!made->is_quiet)
        fprintf(stderr, "%s: option requires an argument -- '%c'\n", made->words[0], letter);
    state.wrong = letter;
    return NULL;
}

static int take_short(const struct request *made) {
    char letter = *state.rest++;
    const char *found = find(made->letters, letter);
    if (!*state.rest) optind++;
    if (!found || letter == ':' || letter == ';') {
        if (!made->is_quiet) fprintf(stderr, "%s: invalid option -- '%c'\n", made->words[0], letter);
        state.wrong = letter;
        return '?';
    }
    if (found[0] == 'W' && found[1] == ';' && made->options) {
        struct request long_one = *made;
        char *argument = following(made, letter);
        if (!argument) return missing(made);
        state.rest = argument;
        optind--; /* take_long counts the word */
        long_one.may_be_single = 0;
        return take_long(&long_one, "-W ");
    }
    if (found[1] != ':') return letter;
    if (found[2] == ':') {
        optarg = *state.rest ? state.rest : NULL;
        if (optarg) optind++;
    } else {
        optarg = following(made, letter);
        if (!optarg) letter = (char)missing(made);
    }
    state.rest = NULL;
    return letter;
}

/* ---- words ---- */

static void begin(char sign) {
    if (!optind) optind = 1;
    state.begun = 1;
    state.first = state.end = optind;
    state.rest = NULL;
    state.order = sign == '-'                                   ? IS_OPTION_ONE
                  : sign == '+' || getenv("POSIXLY_CORRECT") ? ENDS_OPTIONS
                                                                : GOES_BEHIND;
}

static void pass_others(const struct request *made) {
    if (state.first != state.end && state.end != optind)
        bring_forward(made->words);
    else if (state.end != optind)
        state.first = optind;
    while (optind < made->count && is_no_option(made->words[optind])) optind++;
    state.end = optind;
}

/* The next word's turn. Its options are in state.rest then, but for results that are not 0. */
static int next_word(const struct request *made) {
    if (state.end > optind) state.end = optind;
    if (state.first > optind) state.first = optind;
    if (state.order == GOES_BEHIND) pass_others(made);
    char *word = optind < made->count ? made->words[optind] : NULL;
    if (word && word[0] == '-' && word[1] == '-' && !word[2]) {
        optind++;
        if (state.first != state.end && state.end != optind)
            bring_forward(made->words);
        else if (state.first == state.end)
            state.first = optind;
        state.end = made->count;
        optind = made->count;
    }
    if (optind >= made->count) {
        if (state.first != state.end) optind = state.first;
        return -1;
    }
    word = made->words[optind];
    if (is_no_option(word)) {
        if (state.order == ENDS_OPTIONS) return -1;
        optarg = word;
        optind++;
        return 1;
    }
    if (made->options && word[1] == '-') {
        state.rest = word + 2;
        return take_long(made, "--");
    }
    state.rest = word + 1;
    if (made->options && made->may_be_single && (word[2] || !find(made->letters, word[1]))) {
        int result = take_long(made, "-");
        if (result != -1) return result;
        state.rest = word + 1;
    }
    return take_short(made);
}

static int take(int count, char *const *words, const char *letters, const struct option *options,
                int *index, int may_be_single) {
    struct request made = {count, (char **)words, letters, options, index, !opterr, may_be_single};
    if (count < 1) return -1;
    optarg = NULL;
    char sign = *letters;
    if (!optind || !state.begun) begin(sign);
    if (sign == '-' || sign == '+') made.letters++;
    if (made.letters[0] == ':') made.is_quiet = 1;
    int result = state.rest && *state.rest ? take_short(&made) : next_word(&made);
    optopt = state.wrong;
    return result;
}

int getopt(int count, char *const words[], const char *letters) {
    return take(count, words, letters, NULL, NULL, 0);
}

int getopt_long(int count, char *const words[], const char *letters, const struct option *options,
                int *index) {
    return take(count, words, letters, options, index, 0);
}

int getopt_long_only(int count, char *const words[], const char *letters, const struct option *options,
                     int *index) {
    return take(count, words, letters, options, index, 1);
}
