#include "facts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void words_add(struct words *words, const char *word) {
    if (words->count + 1 >= words->room) {
        words->room = 2 * words->room + 64;
        words->word = realloc(words->word, words->room * sizeof *words->word);
        if (!words->word) {
            fprintf(stderr, "whence-cc: error: out of memory\n");
            exit(125);
        }
    }
    words->word[words->count++] = (char *)word;
    words->word[words->count] = NULL;
}

void words_add_facts(struct words *words, const struct plan *plan, char letter) {
    for (size_t i = 0; i < plan->count; i++)
        if (plan->entries[i].kind == letter) words_add(words, plan->entries[i].value);
}

const char *fact(const struct plan *plan, char letter) {
    for (size_t i = 0; i < plan->count; i++)
        if (plan->entries[i].kind == letter) return plan->entries[i].value;
    return "";
}

const char *fact_of(const struct plan *plan, char letter, const char *value) {
    for (size_t i = 0; i < plan->count; i++)
        if (plan->entries[i].kind == letter && strcmp(plan->entries[i].value, value) == 0)
            return plan->entries[i].more;
    return NULL;
}

int takes_argument(const struct plan *plan, const char *option) {
    for (size_t i = 0; i < plan->count; i++)
        if (plan->entries[i].kind == WH_COMPILE_SEPARATE &&
            strcmp(plan->entries[i].value, option) == 0)
            return 1;
    return 0;
}

static int begins(const char *word, const char *start) {
    return strncmp(word, start, strlen(start)) == 0;
}

/* "OPTION START": that option with a separate argument that begins so. */
static int has_argument(const char *text, const char *option, const char *argument) {
    size_t size = strlen(option);
    return argument && begins(text, option) && text[size] == ' ' &&
           begins(argument, text + size + 1);
}

static int fits(const struct plan_entry *line, const char *option, const char *argument) {
    size_t size = strlen(line->value);
    switch (line->kind) {
    case WH_COMPILE_EXACT: return strcmp(option, line->value) == 0;
    case WH_COMPILE_PREFIX: return begins(option, line->value);
    case WH_COMPILE_VALUED:
        return begins(option, line->value) && (!option[size] || option[size] == '=');
    case WH_COMPILE_ARGUMENT: return has_argument(line->value, option, argument);
    default: return 0;
    }
}

char option_class(const struct plan *plan, const char *option, const char *argument) {
    for (size_t i = 0; i < plan->count; i++)
        if (fits(&plan->entries[i], option, argument)) return plan->entries[i].more[0];
    return WH_OPTION_SHAPE;
}

int begins_like(const struct plan *plan, char letter, const char *word) {
    for (size_t i = 0; i < plan->count; i++)
        if (plan->entries[i].kind == letter && begins(word, plan->entries[i].value)) return 1;
    return 0;
}
