/* The start plan: all that a warm run of a program needs, written by Python after a run that could
 * be repeated like this one.
 *
 * A plan is found by its key, which says everything that a command line's meaning depends on: the
 * words up to the program's name, the working directory, and the variables that whence or the
 * dynamic linker reads. It names the files that it was made from; when one of them has changed, the
 * plan is not used. The file is a sequence of strings, each ended by a zero byte (see
 * `whence.engines.start`, which writes it).
 */
#ifndef WHENCE_LAUNCHER_START_H
#define WHENCE_LAUNCHER_START_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define KEY_DIGITS 64

struct start_key {
    char *text; /* the strings that the key is made of */
    size_t size;
    char name[KEY_DIGITS + 1]; /* digits that stand for the text */
    size_t words; /* words of the command line that belong to the key: options and the program's
                     name */
};

/* One line of a plan: its letter and the rest. */
struct start_entry {
    char kind;
    const char *value, *more; /* more: of a symbolic link, its target */
};

struct start {
    struct start_entry *entries;
    size_t count;
    char *data;
};

/* The key of `whence run WORD…`; 0 if no plan can serve this command line. */
int start_key_make(struct start_key *key, int count, char **words);

/* The folder of plans; 0 if there is none (a user without a home). */
int start_folder(char path[PATH_MAX]);

/* The one in the home directory by the list of users, as tests change HOME; 0 if there is none. */
int start_home_folder(char path[PATH_MAX]);

/* The plan of a key, if all that it was made from is as it was; 0 if there is none. */
int start_read(struct start *start, const char *folder, const struct start_key *key);

#endif
