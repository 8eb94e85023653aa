/* Preloaded into the Python interpreter that the native launcher executes under a limit of the
 * stack that it cannot raise: gives the interpreter's threads room before it begins, and leaves its
 * environment as the user's. */
#include "../room.h"
#include "whence_abi.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Only Python has it: a shell may stand between the launcher and the interpreter. */
extern int Py_BytesMain(int count, char **words) __attribute__((weak));

static void enlarge_threads(void) {
    pthread_attr_t usual;
    pthread_attr_init(&usual);
    pthread_attr_setstacksize(&usual, ROOM_SIZE);
    pthread_setattr_default_np(&usual);
    pthread_attr_destroy(&usual);
}

/* Takes this library, which is the first word, out of the list. */
static void restore_preloads(void) {
    const char *preloads = getenv("LD_PRELOAD");
    const char *users = preloads ? strchr(preloads, ':') : NULL;
    if (users)
        setenv("LD_PRELOAD", users + 1, 1);
    else
        unsetenv("LD_PRELOAD");
}

__attribute__((constructor)) static void begin(void) {
    const char *file = getenv(WH_ROOM_VARIABLE);
    int made = room_make();
    if (!file || !Py_BytesMain) return;
    if (strncmp(file, WH_ROOM_QUESTION, strlen(WH_ROOM_QUESTION)) == 0)
        _exit(made ? WH_ROOM_ANSWER : 0);
    close(atoi(file));
    enlarge_threads();
    restore_preloads();
    unsetenv(WH_ROOM_VARIABLE);
}
