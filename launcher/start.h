/* The start plan: everything that a warm run of a program needs. Python writes it after a run that
 * can be repeated without it.
 *
 * The key of a plan consists of everything that the meaning of a command line depends on: the user,
 * the words up to the program's name, the working directory, and the variables that whence or the
 * dynamic linker reads. A plan lists the files that it was made from, and is not used once one of
 * them has changed. Its file is a sequence of strings, each ended by a zero byte;
 * `whence.engines.start` writes it.
 */
#ifndef WHENCE_LAUNCHER_START_H
#define WHENCE_LAUNCHER_START_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define KEY_DIGITS 64

struct start_key {
    char *text; /* the strings that the key consists of */
    size_t size;
    char name[KEY_DIGITS + 1]; /* a hash of the text, as digits */
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

/* Makes the key of `whence run WORD…`; 0 if no plan can exist for this command line. */
int start_key_make(struct start_key *key, int count, char **words);

/* The folder of plans; 0 if there is none (a user without a home). */
int start_folder(char path[PATH_MAX]);

/* The folder of plans in the home directory that the user database names, because tests change
 * HOME; 0 if there is none. */
int start_home_folder(char path[PATH_MAX]);

/* Reads the plan of a key; 0 if there is none or a file that it was made from has changed. */
int start_read(struct start *start, const char *folder, const struct start_key *key);

#endif
