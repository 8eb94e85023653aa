/* Plans: what Python found out once, written down for the native commands.
 *
 * A plan is found by its key, which says everything that its meaning depends on. It names the files
 * that it was made from; when one of them has changed, the plan is not used. The file is the key's
 * text and a sequence of strings, each ended by a zero byte; the first character of a line is a
 * letter that says what it is (`whence.abi.plans`).
 */
#ifndef WHENCE_LAUNCHER_PLAN_H
#define WHENCE_LAUNCHER_PLAN_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define KEY_DIGITS 64

struct plan_key {
    char *text; /* the strings that the key is made of */
    size_t size, room;
    char name[KEY_DIGITS + 1]; /* digits that stand for the text */
};

/* One line of a plan: its letter and the rest. */
struct plan_entry {
    char kind;
    const char *value, *more; /* more: the string that follows, of the kinds that have two */
};

struct plan {
    struct plan_entry *entries;
    size_t count;
    char *data;
};

/* 0 if memory runs out. */
int plan_key_add(struct plan_key *key, const char *string);

/* Adds name and value of each variable that is set. */
int plan_key_add_variables(struct plan_key *key, const char *const *names, size_t count);

/* Names a key whose text is complete. */
void plan_key_finish(struct plan_key *key);

/* The folder of plans; 0 if there is none (a user without a home). */
int plan_folder(char path[PATH_MAX]);

/* The folder of plans in the home directory that the user database names, because tests change
 * HOME; 0 if there is none. */
int plan_home_folder(char path[PATH_MAX]);

/* The plan of a key, if all that it was made from is as it was; 0 if there is none.
 * pairs: the letters of lines that are followed by a second string. */
int plan_read(struct plan *plan, const char *folder, const struct plan_key *key, const char *pairs);

/* Has Python, which is executed next, write the plan that was missing: sets `variable` to
 * the words of WH_REQUEST_FORMAT. The key's text goes in a file without a name, because it has
 * zero bytes. */
void plan_request(const char *variable, const struct plan_key *key, size_t number,
                  const char *folder);

/* Executes the Python program `name` beside this one; 125 with a sentence if it cannot. */
_Noreturn void plan_hand_over(const char *name, char **words);

#endif
