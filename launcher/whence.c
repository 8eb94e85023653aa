/* The command `whence`: starts known programs without the Python interpreter.
 *
 * When there is a plan for the command line (start.h), this process starts the program at once. It
 * executes `whence-python`, which lies beside this file, for every other command line, and when a
 * run has findings, sends a request, or leaves processes behind.
 */
#include "run.h"
#include "start.h"
#include "whence_abi.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static _Noreturn void hand_over(char **words) {
    char path[PATH_MAX + 16];
    ssize_t size = readlink("/proc/self/exe", path, PATH_MAX);
    char *slash = size > 0 ? (path[size] = 0, strrchr(path, '/')) : NULL;
    if (slash) {
        strcpy(slash + 1, "whence-python");
        execv(path, words);
    }
    fprintf(stderr, "whence: %s cannot be executed: install whence again\n",
            slash ? path : "whence-python");
    exit(125);
}

/* The key's text is passed in an anonymous file, because it has zero bytes. */
static void offer_key(const struct start_key *key, const char *folder) {
    char value[PATH_MAX + 128];
    int file = memfd_create("whence-start", 0);
    if (file < 0 || write(file, key->text, key->size) != (ssize_t)key->size) return;
    snprintf(value, sizeof value, "%d %zu %s %s", file, key->words, key->name, folder);
    setenv(WH_START_VARIABLE, value, 1);
}

static void offer_state(const struct run *run) {
    char value[sizeof run->folder + 64];
    int service = run->service >= 0 ? dup(run->service) : -1; /* without close-on-exec */
    snprintf(value, sizeof value, "%d %d %d %s", run->child, run->status, service, run->folder);
    setenv(WH_STARTED_VARIABLE, value, 1);
}

/* Runs the program by the plan in that folder, and does not return; returns if there is no plan or
 * the program could not be started. */
static void follow(const char *folder, const struct start_key *key, char **words) {
    struct start start;
    struct run run = {0};
    if (!start_read(&start, folder, key)) return;
    switch (run_follow(&run, &start, words + 1 + key->words)) {
    case RUN_CLEAN: run_remove(&run, &start); run_end_like(run.status);
    case RUN_UNFINISHED: offer_state(&run); hand_over(words);
    case RUN_NOT_STARTED: break;
    }
}

int main(int count, char **words) {
    struct start_key key;
    char folder[PATH_MAX], home[PATH_MAX];
    unsetenv(WH_START_VARIABLE);
    unsetenv(WH_STARTED_VARIABLE);
    if (count < 3 || strcmp(words[1], "run") != 0 || !start_key_make(&key, count - 2, words + 2) ||
        !start_folder(folder))
        hand_over(words);
    follow(folder, &key, words);
    if (start_home_folder(home) && strcmp(home, folder) != 0) follow(home, &key, words);
    offer_key(&key, folder);
    hand_over(words);
}
