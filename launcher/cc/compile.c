#include "compile.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct words clang_command(const struct plan *plan, char **words) {
    struct words command = {0};
    words_add_facts(&command, plan, WH_COMPILE_COMMAND);
    for (; *words; words++) words_add(&command, *words);
    return command;
}

/* ---- signals ---- */

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP};
#define PASSED_ON (sizeof passed_on / sizeof *passed_on)

static sigset_t unblocked; /* the mask that this process was started with */

static volatile sig_atomic_t receiver; /* 0: nobody any more */

static void pass_on(int number) {
    int before = errno;
    if (receiver > 0) kill(receiver, number);
    errno = before;
}

/* What is ignored stays so. The native compiler tidies up, and its end becomes ours. */
static void handle(void (*handler)(int)) {
    for (size_t i = 0; i < PASSED_ON; i++) {
        struct sigaction action;
        sigaction(passed_on[i], NULL, &action);
        if (action.sa_handler == SIG_IGN) continue;
        action = (struct sigaction){.sa_handler = handler};
        sigaction(passed_on[i], &action, NULL);
    }
}

/* Requests to end wait until there is somebody to pass them on to. */
static void hold_requests(void) {
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < PASSED_ON; i++) sigaddset(&held, passed_on[i]);
    sigprocmask(SIG_BLOCK, &held, &unblocked);
}

static void take_requests(pid_t child) {
    receiver = child;
    handle(pass_on);
    sigprocmask(SIG_SETMASK, &unblocked, NULL);
}

/* ---- processes ---- */

/* The process number, 0 if it cannot be started. A descriptor of -1 is inherited. */
static pid_t start(char **command, char **environment, const int standard[3]) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t pipe_signal;
    pid_t child = 0;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
    posix_spawnattr_setsigmask(&attributes, &unblocked);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    for (int i = 0; standard && i < 3; i++)
        if (standard[i] >= 0) posix_spawn_file_actions_adddup2(&actions, standard[i], i);
    if (posix_spawn(&child, command[0], &actions, &attributes, command, environment) != 0)
        child = 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return child;
}

static int memory(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

static int nothing(void) { return open("/dev/null", O_RDWR | O_CLOEXEC); }

/* The environment without the variables that make a compiler write more files. */
static char **quiet_environment(const struct plan *plan) {
    struct words kept = {0}, out = {0};
    words_add_facts(&out, plan, WH_COMPILE_UNSET);
    for (char **entry = environ; *entry; entry++) {
        int keep = 1;
        for (size_t i = 0; i < out.count; i++) {
            size_t size = strlen(out.word[i]);
            if (strncmp(*entry, out.word[i], size) == 0 && (*entry)[size] == '=') keep = 0;
        }
        if (keep) words_add(&kept, *entry);
    }
    return kept.word;
}

static pid_t start_ir(struct compilation *made, const struct plan *plan, const struct line *line) {
    struct words command = {0};
    int null = nothing();
    made->bitcode = memory("whence-bitcode");
    made->errors = memory("whence-errors");
    if (null < 0 || made->bitcode < 0 || made->errors < 0) return 0;
    words_add_facts(&command, plan, WH_COMPILE_COMMAND);
    for (size_t i = 0; i < line->flags.count; i++) words_add(&command, line->flags.word[i]);
    words_add_facts(&command, plan, WH_COMPILE_IR);
    const char *const source[] = {"-x", line->language, "--", line->source};
    for (size_t i = 0; i < sizeof source / sizeof *source; i++) words_add(&command, source[i]);
    const int standard[] = {null, made->bitcode, made->errors};
    pid_t child = start(command.word, quiet_environment(plan), standard);
    close(null);
    return child;
}

/* ---- both ---- */

static int await(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

static void give_up(pid_t child) {
    kill(child, SIGKILL);
    await(child);
}

/* Autoconf's name. */
int is_probe(const char *source) {
    const char *name = strrchr(source, '/');
    return strncmp(name ? name + 1 : source, "conftest.", 9) == 0;
}

/* An error that has a name as warnings have is one by default only. */
int is_stricter(const struct compilation *made) {
    char text[8192];
    if (made->status == 0 || made->ir_status <= 0) return 0;
    ssize_t size = pread(made->errors, text, sizeof text - 1, 0);
    text[size > 0 ? size : 0] = 0;
    for (char *at = text; (at = strstr(at, " [-W")); at++)
        if (strncmp(at + 4, "error", 5) != 0) return 1;
    return 0;
}

int compile(struct compilation *made, const struct plan *plan, const struct line *line,
            char **command) {
    hold_requests();
    pid_t native = start(command, environ, NULL);
    take_requests(native);
    if (!native) return 0;
    pid_t ir = start_ir(made, plan, line);
    if (!ir) {
        give_up(native);
        return 0;
    }
    made->status = await(native);
    receiver = 0;
    made->ir_status = -1;
    if (made->status == 0 || is_probe(line->source))
        made->ir_status = await(ir);
    else
        give_up(ir);
    handle(SIG_DFL);
    return 1;
}

int without_coroutines(const struct plan *plan, int bitcode) {
    struct words command = {0};
    struct stat status;
    int null = nothing(), sink = memory("whence-output");
    words_add_facts(&command, plan, WH_COMPILE_SPLIT);
    lseek(bitcode, 0, SEEK_SET);
    const int standard[] = {bitcode, sink, null};
    pid_t child = null >= 0 && sink >= 0 ? start(command.word, environ, standard) : 0;
    if (child) await(child);
    close(null);
    return child && fstat(sink, &status) == 0 && status.st_size > 0 ? sink : bitcode;
}
