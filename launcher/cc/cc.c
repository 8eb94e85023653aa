/* The commands `whence-cc` and `whence-c++`: a source to an object or a program that carries its
 * IR, without an interpreter.
 *
 * A configure script starts a compiler hundreds of times. What the compile plan (facts.h) does not
 * say is Python's, which stands beside this file as `whence-cc-python` and `whence-c++-python`.
 */
#include "../end.h"
#include "../stack.h"
#include "carry.h"
#include "whence_abi.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char own[PATH_MAX]; /* the path of this program */

extern char **environ;
static struct words given; /* the environment before headers were offered */

static _Noreturn void hand_over(char **words) {
    char name[NAME_MAX + 8];
    if (given.count) environ = given.word;
    snprintf(name, sizeof name, "%s-python", strrchr(own, '/') + 1);
    stack_ensure(name, words);
    stack_hand_over();
    plan_hand_over(name, words);
}

/* ---- the plan ---- */

static int make_key(struct plan_key *key) {
    static const char *const variables[] = {"PATH", "PYTHONPATH", WH_CLANG_VARIABLE};
    char user[32];
    snprintf(user, sizeof user, "%u", (unsigned)geteuid());
    *key = (struct plan_key){0};
    if (!plan_key_add(key, own) || !plan_key_add(key, user) ||
        !plan_key_add_variables(key, variables, sizeof variables / sizeof *variables))
        return 0;
    plan_key_finish(key);
    return 1;
}

static void find_plan(struct plan *plan, char **words) {
    struct plan_key key;
    char folder[PATH_MAX];
    unsetenv(WH_COMPILE_PLAN_VARIABLE);
    if (!make_key(&key) || !plan_folder(folder)) hand_over(words);
    if (plan_read(plan, folder, &key, WH_COMPILE_PAIRS)) return;
    plan_request(WH_COMPILE_PLAN_VARIABLE, &key, 0, folder);
    hand_over(words);
}

/* Folders for headers, behind those that the user names. */
static void offer_headers(const struct plan *plan) {
    for (char **entry = environ; *entry; entry++) words_add(&given, *entry);
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_entry *line = &plan->entries[i];
        if (line->kind != WH_COMPILE_HEADERS) continue;
        const char *before = getenv(line->value);
        char *both = NULL;
        if (!before || !*before)
            setenv(line->value, line->more, 1);
        else if (asprintf(&both, "%s:%s", before, line->more) >= 0)
            setenv(line->value, both, 1);
        free(both);
    }
}

/* ---- files ---- */

static int has_in_any_case(const uint8_t *text, size_t size, const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i + length <= size; i++)
        if ((text[i] | 0x20) == name[0] && strncasecmp((const char *)text + i, name, length) == 0)
            return 1;
    return 0;
}

/* Whether functions of the source may be exempt from checks: Python finds out. */
static int may_exempt(const struct plan *plan, const char *source) {
    size_t size;
    int found = 0, file = open(source, O_RDONLY | O_CLOEXEC);
    const uint8_t *text = file < 0 ? NULL : contents(file, &size);
    for (size_t i = 0; text && i < plan->count; i++)
        if (plan->entries[i].kind == WH_COMPILE_EXEMPTING)
            found |= has_in_any_case(text, size, plan->entries[i].value);
    if (text) munmap((void *)text, size);
    if (file >= 0) close(file);
    return found;
}

/* ---- the compilers ---- */

static struct words front_end(const struct plan *plan, const struct line *line, char **words) {
    return clang_command(plan, line->unlinked.count ? line->unlinked.word : words + 1);
}

static _Noreturn void leave_to_clang(const struct plan *plan, const struct line *line,
                                     char **words) {
    struct words command = front_end(plan, line, words);
    offer_headers(plan);
    signal(SIGPIPE, SIG_DFL);
    execv(command.word[0], command.word);
    hand_over(words);
}

static _Noreturn void make(const struct plan *plan, const struct line *line, enum line_kind kind,
                           char **words) {
    struct compilation made;
    char cwd[PATH_MAX];
    const struct place place = {plan, line, cwd};
    if (!getcwd(cwd, sizeof cwd) || !can_carry(&place, kind) || may_exempt(plan, line->source))
        hand_over(words);
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error and no death */
    offer_headers(plan);
    struct words command = front_end(plan, line, words);
    if (kind == LINE_LINK && access(line->source, F_OK) == 0) /* else clang says what it lacks */
        words_add_facts(&command, plan, WH_COMPILE_INTERFACE);
    if (!compile(&made, plan, line, command.word)) hand_over(words);
    if (WIFEXITED(made.status) && is_stricter(&made)) {
        char status[16];
        if (given.count) environ = given.word;
        given.count = 0;
        snprintf(status, sizeof status, "%d", WEXITSTATUS(made.status));
        setenv(WH_PROBE_VARIABLE, status, 1);
        hand_over(words);
    }
    if (made.status != 0) end_like(made.status);
    if (kind == LINE_OBJECT)
        carry_object(&made, &place);
    else if (!carry_program(&made, &place))
        hand_over(words);
    exit(0);
}

/* Needs more stack than the user may give. */
static __attribute__((noinline, noreturn)) void command(char **words) {
    struct plan plan;
    struct line line;
    find_plan(&plan, words);
    enum line_kind kind = line_read(&line, &plan, words + 1);
    switch (kind) {
    case LINE_CLANG: leave_to_clang(&plan, &line, words);
    case LINE_OBJECT:
    case LINE_LINK: make(&plan, &line, kind, words);
    case LINE_PYTHON: break;
    }
    hand_over(words);
}

int main(int count, char **words) {
    stack_raise(); /* for the compilers, too */
    unsetenv(WH_ROOM_VARIABLE);
    ssize_t size = readlink("/proc/self/exe", own, sizeof own - 1);
    if (size <= 0 || count < 1) return 125;
    command(words);
}
