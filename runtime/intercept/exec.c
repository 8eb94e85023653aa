/* Programs that the program executes or spawns.
 *
 * They run without the runtime, whose variables are removed from the environment (environment.h),
 * with two exceptions: with the option `children` the launcher decides what to execute instead; and
 * a program that executes itself again stays in its run.
 *
 * The new vectors lie on the stack, because a child of vfork or a signal handler may execute a
 * program.
 */
#include "arguments.h"
#include "../calls/calls.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../settings/environment.h"
#include "../process/program.h"
#include "../record/record.h"
#include "../settings/options.h"
#include "../process/service.h"
#include "../process/thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <unistd.h>

/* What to execute instead. The words of the launcher's answer are the path, then the arguments that
 * replace the first one (`a...`), and the variables (`e...`) that replace the launcher's. */
struct plan {
    const char *path;
    struct service_talk talk;
    int answered; /* the launcher has answered: `talk` is at the first word after the path */
    int again;    /* the program's own copy, in the environment that it was started in */
    int alone;    /* without the runtime, whose variables the environment may have */
    size_t arguments, variables;
};

static size_t count_of(char *const *vector) {
    size_t count = 0;
    while (vector && vector[count]) count++;
    return count;
}

static void say_variable(struct service_talk *talk, char *const *environment, const char *name) {
    const char *value = environment_value(environment, name);
    service_say(talk, value ? value : "");
}

static void measure(struct plan *plan) {
    size_t at = plan->talk.at;
    const char *word;
    while ((word = service_next(&plan->talk))) {
        if (*word == WH_ANSWER_ARGUMENT) plan->arguments++;
        if (*word == WH_ANSWER_VARIABLE) plan->variables++;
    }
    plan->talk.at = at;
}

static int is_mapped(const void *address) { return os_readable_word((uintptr_t)address); }

static int is_vector(char *const *vector) {
    for (char *const *at = vector; at; at++) {
        if ((at == vector || (uintptr_t)at % OS_PAGE < sizeof *at) && !is_mapped(at)) return 0;
        if (!*at) return 1;
    }
    return 1;
}

/* Whether the kernel will fail with EFAULT, because it cannot read the vectors or the variables.
 * Only the vector of the arguments is tested: their text is not read here. */
static int is_refused(const char *path, char *const *arguments, char *const *environment) {
    if (!is_mapped(path) || !is_vector(arguments) || !is_vector(environment)) return 1;
    for (; environment && *environment; environment++)
        if (!is_mapped(*environment)) return 1;
    return 0;
}

/* Another user may not reach the copy, which lies in the cache. */
static void execute_again(struct plan *plan) {
    static int unreachable;
    if (!os_executable(program_copy())) {
        plan->path = program_file();
        rt_note(&unreachable,
                "the program executed itself as a user who cannot read whence's cache: that "
                "process was not checked");
        return;
    }
    plan->path = program_copy();
    plan->again = 1;
    while (environment_ours(plan->variables)) plan->variables++;
}

/* A tool executes this process, whose own program the kernel takes for the tool: the file itself is
 * executed, and by the tool only with the other programs that this one starts. */
static void execute_file(struct plan *plan) {
    static int unchecked;
    plan->path = program_file();
    if (!options.children)
        rt_note(&unchecked,
                "the program executed itself: that process was not checked, nor are other "
                "programs that it starts (--trace-children)");
}

/* The launcher would take a name of the caller's own program for the launcher's. */
static const char *followed(const char *path, char own[PATH_MAX]) {
    if (!program_is_named(path)) return path;
    if (program_file()) return program_file();
    long length = os_read_link("/proc/self/exe", own, PATH_MAX - 1);
    if (length <= 0) return path;
    own[length] = 0;
    return own;
}

static void decide(struct plan *plan, char *room, const char *path, char *const *arguments,
                   char *const *environment) {
    *plan = (struct plan){.path = path};
    if (is_refused(path, arguments, environment)) return;
    if (PORT_OBSERVED) {
        if (program_is(path)) execute_file(plan);
        return;
    }
    if (!options.children) {
        if (program_is(path)) execute_again(plan);
        return;
    }
    if (!service_known()) return;
    char own[PATH_MAX];
    service_begin(&plan->talk, room, WH_ASK_EXECUTE);
    service_say(&plan->talk, followed(path, own));
    service_say_directory(&plan->talk);
    say_variable(&plan->talk, environment, "PATH");
    say_variable(&plan->talk, environment, "LD_PRELOAD");
    say_variable(&plan->talk, environment, "LD_LIBRARY_PATH");
    if (!service_ask(&plan->talk)) {
        plan->alone = 1;
        return;
    }
    const char *other = service_next(&plan->talk);
    if (other && *other) plan->path = other;
    plan->answered = 1;
    measure(plan);
}

static int changes(const struct plan *plan) { return plan->answered || plan->again || plan->alone; }

/* Room in words for the two new vectors. */
static size_t room_for(const struct plan *plan, char *const *arguments, char *const *environment) {
    if (!changes(plan)) return 1;
    return count_of(arguments) + plan->arguments + count_of(environment) + plan->variables + 3;
}

static char **new_arguments(struct plan *plan, char *const *arguments, char **to) {
    size_t at = plan->talk.at;
    const char *word;
    while (plan->answered && (word = service_next(&plan->talk)))
        if (*word == WH_ANSWER_ARGUMENT) *to++ = (char *)(uintptr_t)(word + 1);
    plan->talk.at = at;
    if (arguments && *arguments && plan->arguments) arguments++;
    while (arguments && *arguments) *to++ = *arguments++;
    *to++ = NULL;
    return to;
}

static void new_environment(struct plan *plan, char *const *environment, char **to) {
    const char *word;
    for (; environment && *environment; environment++)
        if (!environment_is_ours(*environment))
            *to++ = *environment;
        else if (plan->alone && (word = environment_users(*environment)))
            *to++ = (char *)(uintptr_t)word;
    for (size_t i = 0; plan->again && (word = environment_ours(i)); i++)
        *to++ = (char *)(uintptr_t)word;
    while (plan->answered && (word = service_next(&plan->talk)))
        if (*word == WH_ANSWER_VARIABLE) *to++ = (char *)(uintptr_t)(word + 1);
    *to = NULL;
}

/* Declares `plan`, and `argument_vector` and `variable_vector` as they are to be passed on. */
#define PLAN(file, arguments, environment)                                                         \
    struct plan plan;                                                                              \
    char room[WH_SERVICE_ROOM];                                                                    \
    decide(&plan, room, file, arguments, environment);                                             \
    char *words[room_for(&plan, arguments, environment)];                                          \
    char *const *argument_vector = arguments, *const *variable_vector = environment;               \
    if (changes(&plan)) {                                                                          \
        char **second = new_arguments(&plan, arguments, words);                                    \
        new_environment(&plan, environment, second);                                               \
        argument_vector = words;                                                                   \
        variable_vector = second;                                                                  \
    }

/* Whoever waits for the processes of the run knows of this one before it has come to the runtime's
 * start. */
static void expect(const struct plan *plan, uint32_t process) {
    if (plan->variables) record_expect(process);
}

/* ---- exec ---- */

static int failure(long result) {
    errno = (int)-result;
    return -1;
}

static long execute(const char *path, char *const *arguments, char *const *environment) {
    PLAN(path, arguments, environment)
    expect(&plan, os_process());
    return os_execute(plan.path, argument_vector, variable_vector);
}

/* A file that the kernel does not know how to run is a shell script. */
static long execute_script(const char *path, char *const *arguments, char *const *environment) {
    size_t count = count_of(arguments);
    char *longer[count + 3];
    longer[0] = (char *)(uintptr_t)"/bin/sh";
    longer[1] = (char *)(uintptr_t)path;
    for (size_t i = 1; i <= count; i++) longer[i + 1] = arguments[i];
    longer[count > 0 ? count + 1 : 2] = NULL;
    return execute("/bin/sh", longer, environment);
}

static long execute_or_script(const char *path, char *const *arguments, char *const *environment) {
    long result = execute(path, arguments, environment);
    return result == -ENOEXEC ? execute_script(path, arguments, environment) : result;
}

/* Joins the next folder of PATH and a name; the rest of PATH, NULL after its end
 * or if the name does not fit. */
static const char *candidate(const char *folders, const char *name, char path[PATH_MAX]) {
    size_t length = 0, name_length = wh_length(name);
    while (folders[length] && folders[length] != ':') length++;
    if (length + name_length + 2 > PATH_MAX) return NULL;
    wh_copy(path, folders, length);
    if (length) path[length++] = '/';
    wh_copy(path + length, name, name_length + 1);
    while (*folders && *folders != ':') folders++;
    return *folders ? folders + 1 : NULL;
}

static int has_slash(const char *name) {
    while (*name && *name != '/') name++;
    return *name == '/';
}

#define STANDARD_PATH "/bin:/usr/bin"

static const char *search_path(void) {
    const char *path = environment_value(environ, "PATH");
    return path ? path : STANDARD_PATH;
}

static long execute_in_path(const char *name, char *const *arguments, char *const *environment) {
    if (!*name) return -ENOENT;
    if (has_slash(name)) return execute_or_script(name, arguments, environment);
    char path[PATH_MAX];
    long result = -ENOENT;
    for (const char *rest = search_path(); rest;) {
        rest = candidate(rest, name, path);
        if (!os_executable(path)) {
            if (os_same_file(path, path)) result = -EACCES;
            continue;
        }
        long now = execute_or_script(path, arguments, environment);
        if (now != -ENOENT && now != -ENOTDIR && now != -EACCES) return now;
        if (now == -EACCES) result = now;
    }
    return result;
}

WH_EXPORT int execve(const char *path, char *const arguments[], char *const environment[]) {
    return failure(execute(path, arguments, environment));
}

WH_EXPORT int execv(const char *path, char *const arguments[]) {
    return failure(execute(path, arguments, environ));
}

WH_EXPORT int execvpe(const char *name, char *const arguments[], char *const environment[]) {
    return failure(execute_in_path(name, arguments, environment));
}

WH_EXPORT int execvp(const char *name, char *const arguments[]) {
    return failure(execute_in_path(name, arguments, environ));
}

#define DESCRIPTOR_PATH 32

WH_EXPORT int fexecve(int file, char *const arguments[], char *const environment[]) {
    TEXT(path, DESCRIPTOR_PATH);
    text_put(&path, "/proc/");
    text_decimal(&path, os_process());
    text_put(&path, "/fd/");
    text_decimal(&path, (uint64_t)(uint32_t)file);
    text_put_n(&path, "", 1);
    PLAN(path.begin, arguments, environment)
    expect(&plan, os_process());
    if (plan.path != path.begin)
        return failure(os_execute(plan.path, argument_vector, variable_vector));
    return failure(os_execute_file(file, argument_vector, variable_vector));
}

/* ---- exec with a list of arguments ---- */

WH_EXPORT int execl(const char *path, const char *first, ...) {
    VECTOR(first);
    va_end(list);
    return failure(execute(path, vector, environ));
}

WH_EXPORT int execlp(const char *name, const char *first, ...) {
    VECTOR(first);
    va_end(list);
    return failure(execute_in_path(name, vector, environ));
}

WH_EXPORT int execle(const char *path, const char *first, ...) {
    VECTOR(first);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return failure(execute(path, vector, environment));
}

/* ---- spawn ---- */

typedef int (*spawn_function)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                              const posix_spawnattr_t *, char *const[], char *const[]);

static spawn_function next_spawn, next_spawnp;

static int spawned(const struct plan *plan, int result, pid_t number, pid_t *child) {
    struct calls_answer answer = {result ? -(int64_t)result : number, 0};
    calls_keep_answer(WH_CALLS_SPAWN, &answer);
    if (result) return result;
    expect(plan, (uint32_t)number);
    if (child) *child = number;
    return 0;
}

/* Where calls are repeated, the process of the first run is started no more. */
static int spawned_again(int *result, pid_t *child) {
    struct calls_answer again;
    if (!CALLS_REPEATED || !calls_answer_again(WH_CALLS_SPAWN, &again)) return 0;
    *result = again.result < 0 ? (int)-again.result : 0;
    if (again.result > 0 && child) *child = (pid_t)again.result;
    return 1;
}

/* Before the program runs: dlsym would take from it what dlerror returns next. */
__attribute__((constructor)) static void find_spawn(void) {
    if (next_spawnp) return;
    next_spawn = (spawn_function)(uintptr_t)dlsym(RTLD_NEXT, "posix_spawn");
    next_spawnp = (spawn_function)(uintptr_t)dlsym(RTLD_NEXT, "posix_spawnp");
}

WH_EXPORT int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *attributes, char *const arguments[],
                          char *const environment[]) {
    PLAN(path, arguments, environment)
    find_spawn();
    pid_t number = 0;
    int result;
    if (spawned_again(&result, child)) return result;
    outside_paused++;
    result = next_spawn(&number, plan.path, actions, attributes, argument_vector, variable_vector);
    outside_paused--;
    return spawned(&plan, result, number, child);
}

/* The file that a search would find; `name` itself if there is none. */
static const char *found_in_path(const char *name, char path[PATH_MAX]) {
    if (!*name || has_slash(name)) return name;
    for (const char *rest = search_path(); rest;) {
        rest = candidate(rest, name, path);
        if (os_executable(path)) return path;
    }
    return name;
}

WH_EXPORT int posix_spawnp(pid_t *child, const char *name,
                           const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const arguments[],
                           char *const environment[]) {
    char found[PATH_MAX];
    const char *path = found_in_path(name, found);
    PLAN(path, arguments, environment)
    find_spawn();
    pid_t number = 0;
    int result;
    if (spawned_again(&result, child)) return result;
    outside_paused++;
    result = next_spawnp(&number, plan.path == path ? name : plan.path, actions, attributes,
                         argument_vector, variable_vector);
    outside_paused--;
    return spawned(&plan, result, number, child);
}
