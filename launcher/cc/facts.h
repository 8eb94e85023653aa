/* What the compile plan says about clang and its options; `whence.toolchain.cc_plan` writes it,
 * and `whence.abi.plans` explains the letters. */
#ifndef WHENCE_LAUNCHER_CC_FACTS_H
#define WHENCE_LAUNCHER_CC_FACTS_H

#include "../plan.h"
#include "whence_abi.h"

/* A list of words, ended by NULL. */
struct words {
    char **word;
    size_t count, room;
};

/* Adds a word, which must live as long as the list. Memory that runs out ends the process. */
void words_add(struct words *words, const char *word);

/* Adds the plan's words of a letter. */
void words_add_facts(struct words *words, const struct plan *plan, char letter);

/* The first line of a letter; an empty string if there is none. */
const char *fact(const struct plan *plan, char letter);

/* The second string of the line of a letter whose first one is `value`; NULL if there is none. */
const char *fact_of(const struct plan *plan, char letter, const char *value);

/* Whether a word of the command line takes the next one as its argument. */
int takes_argument(const struct plan *plan, const char *option);

/* The class of an option, WH_OPTION_*. argument: the separate one, NULL for none. */
char option_class(const struct plan *plan, const char *option, const char *argument);

/* Whether the word begins like a line of a letter. */
int begins_like(const struct plan *plan, char letter, const char *word);

#endif
