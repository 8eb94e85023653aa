#include "start.h"
#include "whence_abi.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The variables that set the place of the cache are missing: they do not change what a run does. */
static const char *const variables[] = {
    "GLIBC_TUNABLES", "LD_AUDIT",   "LD_LIBRARY_PATH", "LD_PRELOAD",
    "PYTHONMALLOC",   "PYTHONPATH", "TMPDIR",
};

extern char **environ;

static int add_variables(struct plan_key *key) {
    if (!plan_key_add_variables(key, variables, sizeof variables / sizeof *variables)) return 0;
    for (char **entry = environ; *entry; entry++)
        if (strncmp(*entry, WH_VARIABLE_PREFIX, sizeof WH_VARIABLE_PREFIX - 1) == 0 &&
            !plan_key_add(key, *entry))
            return 0;
    return 1;
}

/* The number of words up to the first that is no option and has a slash: words without one are
 * values of options, such as `--engine binary`, or a program that is searched for. Where the word
 * with a slash is no program, but a value of an option, too, or an argument, no plan has this key,
 * because plans are written for the place of the program only. */
static size_t words_of_key(int count, char **words) {
    for (int i = 0; i < count; i++)
        if (words[i][0] != '-' && strchr(words[i], '/')) return (size_t)i + 1;
    return 0;
}

size_t start_key_make(struct plan_key *key, int count, char **words) {
    char cwd[PATH_MAX], own[PATH_MAX] = "";
    char user[32];
    size_t used = words_of_key(count, words);
    *key = (struct plan_key){0};
    if (!used || !getcwd(cwd, sizeof cwd) || readlink("/proc/self/exe", own, sizeof own - 1) <= 0)
        return 0;
    snprintf(user, sizeof user, "%u", (unsigned)geteuid());
    int complete = plan_key_add(key, own) && plan_key_add(key, user) && plan_key_add(key, cwd);
    for (size_t i = 0; complete && i < used; i++) complete = plan_key_add(key, words[i]);
    if (!complete || !add_variables(key)) return 0;
    plan_key_finish(key);
    return used;
}
