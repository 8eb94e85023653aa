/* The command `whence`: starts known programs without the Python interpreter.
 *
 * When there is a plan for the command line (start.h), this process starts the program at once. It
 * executes `whence-python`, which lies beside this file, for every other command line, and when a
 * run has findings, sends a request, or leaves processes behind.
 */
#include "end.h"
#include "run.h"
#include "stack.h"
#include "start.h"
#include "whence_abi.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PYTHON "whence-python"

static _Noreturn void hand_over(char **words) {
    stack_hand_over();
    stack_tell();
    plan_hand_over(PYTHON, words);
}

static void offer_state(const struct run *run) {
    char value[sizeof run->folder + 64];
    int service = run->service >= 0 ? dup(run->service) : -1; /* without close-on-exec */
    snprintf(value, sizeof value, WH_STARTED_FORMAT, run->child, run->status, service, run->input,
             run->folder);
    setenv(WH_STARTED_VARIABLE, value, 1);
}

/* Runs the program, whose words these are, by the plan in that folder, and does not return; returns
 * if there is no plan or the program could not be started. */
static void follow(const char *folder, const struct plan_key *key, char **words, size_t used) {
    struct plan start;
    struct run run = {0};
    if (!plan_read(&start, folder, key, WH_START_PAIRS)) return;
    switch (run_follow(&run, &start, words + 1 + used)) {
    case RUN_CLEAN: run_remove(&run, &start); end_like(run.status);
    case RUN_UNFINISHED: offer_state(&run); hand_over(words);
    case RUN_NOT_STARTED: break;
    }
}

/* Needs more stack than the user may give. */
static __attribute__((noinline, noreturn)) void command(int count, char **words) {
    struct plan_key key;
    char folder[PATH_MAX], home[PATH_MAX];
    size_t used = 0;
    unsetenv(WH_START_VARIABLE);
    unsetenv(WH_STARTED_VARIABLE);
    stack_ensure(PYTHON, words);
    if (count < 3 || strcmp(words[1], "run") != 0 ||
        !(used = start_key_make(&key, count - 2, words + 2)) || !plan_folder(folder))
        hand_over(words);
    follow(folder, &key, words, used);
    if (plan_home_folder(home) && strcmp(home, folder) != 0) follow(home, &key, words, used);
    plan_request(WH_START_VARIABLE, &key, used, folder);
    hand_over(words);
}

int main(int count, char **words) {
    stack_raise();
    unsetenv(WH_STACK_VARIABLE);
    unsetenv(WH_ROOM_VARIABLE);
    command(count, words);
}
