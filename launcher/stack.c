#include "stack.h"
#include "plan.h"
#include "room.h"
#include "whence_abi.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define WANTED (8ul << 20)
#define LEAST (256ul << 10) /* what the interpreter needs for a report, and some more */
#define VERSION "--version"
#define VARIABLES_MOST 1024 /* about what the variables of this command add to the environment */

static struct rlimit users;
static int raised;

static rlim_t current(void) {
    struct rlimit now;
    return getrlimit(RLIMIT_STACK, &now) == 0 ? now.rlim_cur : RLIM_INFINITY;
}

/* ---- this process ---- */

void stack_raise(void) {
    if (getrlimit(RLIMIT_STACK, &users) != 0 || users.rlim_cur >= WANTED) return;
    struct rlimit wanted = {WANTED, users.rlim_max > WANTED ? users.rlim_max : WANTED};
    raised = setrlimit(RLIMIT_STACK, &wanted) == 0;
    if (raised) return;
    if (users.rlim_max > users.rlim_cur) {
        wanted = (struct rlimit){users.rlim_max, users.rlim_max};
        raised = setrlimit(RLIMIT_STACK, &wanted) == 0;
    }
    room_make();
}

void stack_restore(void) {
    if (raised) setrlimit(RLIMIT_STACK, &users);
}

/* ---- Python ---- */

/* The library that makes room in Python, which the build puts into this file. */
extern const char library_begin[], library_end[];
__asm__(".pushsection .rodata\n"
        "library_begin: .incbin \"" ROOM_LIBRARY "\"\n"
        "library_end:\n"
        ".popsection");

static int library = -1; /* a file with it, once Python is known to find room by it */
static char *preloads;   /* the value of LD_PRELOAD that has Python load that file */

static int write_library(void) {
    size_t size = (size_t)(library_end - library_begin);
    int file = memfd_create("whence-room", MFD_CLOEXEC);
    if (file >= 0 && write(file, library_begin, size) == (ssize_t)size) return file;
    if (file >= 0) close(file);
    return -1;
}

static char *with_preload(int file, const char *users_preloads) {
    char *value;
    int size = asprintf(&value, "/proc/self/fd/%d%s%s", file, users_preloads ? ":" : "",
                        users_preloads ? users_preloads : "");
    return size < 0 ? NULL : value;
}

static void set_preload(int file, const char *order) {
    fcntl(file, F_SETFD, 0);
    setenv("LD_PRELOAD", preloads, 1);
    setenv(WH_ROOM_VARIABLE, order, 1);
}

/* Python under a question. Words and variables take room of the stack, too: it gets as many words
 * and longer variables than it will have. */
static _Noreturn void ask(int file, const char *python, char **words) {
    static char *alone[] = {VERSION, VERSION, NULL};
    char question[VARIABLES_MOST];
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere < 0 || dup2(nowhere, 1) < 0 || dup2(nowhere, 2) < 0) _exit(1);
    memset(question, '.', sizeof question - 1);
    question[sizeof question - 1] = 0;
    memcpy(question, WH_ROOM_QUESTION, strlen(WH_ROOM_QUESTION));
    set_preload(file, question);
    if (words[0] && words[1]) words[1] = VERSION;
    plan_hand_over(python, words[0] && words[1] ? words : alone);
}

/* Whether Python loads the library, and that makes room. */
static int is_answered(int file, const char *python, char **words) {
    int status = 0, child = fork();
    if (child == 0) ask(file, python, words);
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == WH_ROOM_ANSWER;
}

/* Where a stack begins is not random then: what the question found is so again. */
static void fix_addresses(void) {
    personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
}

static int find_room(const char *python, char **words) {
    int file = write_library();
    preloads = file < 0 ? NULL : with_preload(file, getenv("LD_PRELOAD"));
    if (!preloads) return 0;
    fix_addresses();
    if (is_answered(file, python, words)) library = file;
    return library >= 0;
}

void stack_ensure(const char *python, char **words) {
    if (current() >= WANTED || find_room(python, words) || current() >= LEAST) return;
    fprintf(stderr,
            "whence: the stack is limited to %lu KiB (ulimit -s), and whence needs %lu: "
            "leave the hard limit higher (ulimit -Ss)\n",
            (unsigned long)current() >> 10, LEAST >> 10);
    exit(125);
}

void stack_hand_over(void) {
    char value[64];
    if (library >= 0) {
        snprintf(value, sizeof value, "%d", library);
        set_preload(library, value);
    }
}

void stack_tell(void) {
    char value[64];
    if (!raised) return;
    snprintf(value, sizeof value, "%lu:%lu", users.rlim_cur, users.rlim_max);
    setenv(WH_STACK_VARIABLE, value, 1);
}
