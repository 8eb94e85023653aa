/* The commands `whence-cc` and `whence-c++`: a source to an object that carries its IR, without an
 * interpreter.
 *
 * A configure script starts a compiler hundreds of times. What the compile plan (facts.h) does not
 * say is Python's, which stands beside this file as `whence-cc-python` and `whence-c++-python`.
 */
#include "../end.h"
#include "compile.h"
#include "elf.h"
#include "module.h"
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

static _Noreturn void hand_over(char **words) {
    char name[NAME_MAX + 8];
    snprintf(name, sizeof name, "%s-python", strrchr(own, '/') + 1);
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

/* The contents of a file, NULL if it cannot be read or is empty. */
static const uint8_t *contents(int file, size_t *size) {
    struct stat status;
    if (fstat(file, &status) != 0 || status.st_size <= 0) return NULL;
    *size = (size_t)status.st_size;
    void *data = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
    return data == MAP_FAILED ? NULL : data;
}

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

/* ---- carrying ---- */

static void warn(const char *path, const char *problem) {
    fprintf(stderr, "whence-cc: warning: %s carries no IR, so it will run unchecked: %s\n", path,
            problem);
}

/* The first line with an error, else the first line; without the blanks around it. */
static void warn_of_errors(const char *source, const struct compilation *made) {
    char text[65536], number[64];
    ssize_t size = pread(made->errors, text, sizeof text - 1, 0);
    char *first = NULL, *chosen = NULL, *next;
    text[size > 0 ? size : 0] = 0;
    for (char *line = text; line && *line && !chosen; line = next) {
        if ((next = strchr(line, '\n'))) *next++ = 0;
        if (!first) first = line;
        if (strstr(line, "error:")) chosen = line;
    }
    snprintf(number, sizeof number, "the compiler ended with wait status %d", made->ir_status);
    if (!chosen) chosen = first ? first : number;
    chosen += strspn(chosen, " \t\r");
    for (size_t end = strlen(chosen); end && strchr(" \t\r", chosen[end - 1]); end--)
        chosen[end - 1] = 0;
    warn(source, chosen);
}

static void carry(const struct blob *blob, const struct plan *plan, const char *path) {
    struct stat status;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        warn(path, strerror(errno));
        return;
    }
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        const char *problem =
            elf_add_section(file, fact(plan, WH_COMPILE_SECTION), blob->data, blob->size);
        if (problem) warn(path, problem);
    }
    close(file);
}

static void finish(const struct compilation *made, const struct plan *plan, const struct line *line,
                   const char *cwd) {
    const char *coroutines = fact(plan, WH_COMPILE_COROUTINE);
    struct blob blob;
    size_t size = 0;
    const uint8_t *bitcode = contents(made->bitcode, &size);
    if (bitcode && memmem(bitcode, size, coroutines, strlen(coroutines)))
        bitcode = contents(without_coroutines(plan, made->bitcode), &size);
    if (module_pack(&blob, bitcode, size, line, plan, cwd))
        carry(&blob, plan, line->output);
    else
        warn(line->output, strerror(ENOMEM));
}

static _Noreturn void leave_to_clang(const struct plan *plan, char **words) {
    char **command = clang_command(plan, words + 1);
    offer_headers(plan);
    signal(SIGPIPE, SIG_DFL);
    execv(command[0], command);
    hand_over(words);
}

static _Noreturn void make_object(const struct plan *plan, const struct line *line, char **words) {
    struct compilation made;
    char cwd[PATH_MAX];
    if (!getcwd(cwd, sizeof cwd) || !module_can_say(line, plan, cwd) || !module_prepare() ||
        may_exempt(plan, line->source))
        hand_over(words);
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error and no death */
    offer_headers(plan);
    if (!compile(&made, plan, line, words + 1)) hand_over(words);
    if (made.status != 0) end_like(made.status);
    if (made.ir_status != 0)
        warn_of_errors(line->source, &made);
    else
        finish(&made, plan, line, cwd);
    exit(0);
}

int main(int count, char **words) {
    struct plan plan;
    struct line line;
    ssize_t size = readlink("/proc/self/exe", own, sizeof own - 1);
    if (size <= 0 || count < 1) return 125;
    find_plan(&plan, words);
    switch (line_read(&line, &plan, words + 1)) {
    case LINE_PYTHON: hand_over(words);
    case LINE_CLANG: leave_to_clang(&plan, words);
    case LINE_OBJECT: make_object(&plan, &line, words);
    }
}
