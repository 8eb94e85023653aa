/* unistd.h and spawn.h: programs. */
#include <stdarg.h>
#include "kernel.h"
#include "../arguments.h"
#include "../../os/mem.h"

#include <spawn.h>
#include <unistd.h>

/* Each page of the vector is tested once for whether it is mapped. */
void check_vector(struct site site, char *const *vector) {
    for (size_t i = 0; vector; i++) {
        const char *const *at = (const char *const *)&vector[i];
        check_range(site, vector, (i + 1) * sizeof *at, 0, vector);
        if (!access_clean((uintptr_t)at, sizeof *at)) return;
        if ((!i || (uintptr_t)at % OS_PAGE < sizeof *at) && !is_there(at, sizeof *at)) return;
        if (!*at) return;
        check_path(site, *at);
    }
}

static void check_texts(struct site site, char *const *vector) {
    for (; *vector; vector++) check_path(site, *vector);
}

WRAP(int, execv, (const char *path, char *const arguments[])) {
    READ_PATH(path);
    check_vector(SITE, arguments);
    return NEXT(execv)(path, arguments);
}

WRAP(int, execvp, (const char *path, char *const arguments[])) {
    READ_PATH(path);
    check_vector(SITE, arguments);
    return NEXT(execvp)(path, arguments);
}

WRAP(int, execvpe, (const char *path, char *const arguments[], char *const environment[])) {
    READ_PATH(path);
    check_vector(SITE, arguments);
    check_vector(SITE, environment);
    return NEXT(execvpe)(path, arguments, environment);
}

WRAP(int, execve, (const char *path, char *const arguments[], char *const environment[])) {
    READ_PATH(path);
    check_vector(SITE, arguments);
    check_vector(SITE, environment);
    return NEXT(execve)(path, arguments, environment);
}

WRAP(int, fexecve, (int file, char *const arguments[], char *const environment[])) {
    check_vector(SITE, arguments);
    check_vector(SITE, environment);
    return NEXT(fexecve)(file, arguments, environment);
}

/* From 2.34 on. */
int execveat(int, const char *, char *const[], char *const[], int) __attribute__((weak));
WRAP(int, execveat,
     (int directory, const char *path, char *const arguments[], char *const environment[],
      int flags)) {
    READ_PATH(path);
    check_vector(SITE, arguments);
    check_vector(SITE, environment);
    return NEXT(execveat)(directory, path, arguments, environment, flags);
}

/* ---- with a list of arguments, up to the NULL ---- */

WRAP(int, execl, (const char *path, const char *first, ...)) {
    VECTOR(first);
    va_end(list);
    READ_PATH(path);
    check_texts(SITE, vector);
    return NEXT(execv)(path, vector);
}

WRAP(int, execlp, (const char *path, const char *first, ...)) {
    VECTOR(first);
    va_end(list);
    READ_PATH(path);
    check_texts(SITE, vector);
    return NEXT(execvp)(path, vector);
}

WRAP(int, execle, (const char *path, const char *first, ...)) {
    VECTOR(first);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    READ_PATH(path);
    check_texts(SITE, vector);
    check_vector(SITE, environment);
    return NEXT(execve)(path, vector, environment);
}

/* Both forms of posix_spawn, whose other arguments are the library's own objects. */
#define SPAWN(name)                                                                                \
    WRAP(int, name,                                                                                \
         (pid_t * process, const char *path, const posix_spawn_file_actions_t *actions,            \
          const posix_spawnattr_t *attributes, char *const arguments[],                            \
          char *const environment[])) {                                                            \
        READ_PATH(path);                                                                           \
        WRITE_IF(process, sizeof *process);                                                        \
        READ_IF(actions, sizeof *actions);                                                         \
        READ_IF(attributes, sizeof *attributes);                                                   \
        check_vector(SITE, arguments);                                                             \
        check_vector(SITE, environment);                                                           \
        return NEXT(name)(process, path, actions, attributes, arguments, environment);             \
    }

SPAWN(posix_spawn)
SPAWN(posix_spawnp)
