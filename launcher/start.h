/* The start plan: everything that a warm run of a program needs. Python writes it after a run that
 * can be repeated without it (`whence.engines.start`).
 *
 * The key of a plan consists of everything that the meaning of a command line depends on: the
 * installation, the user, the words up to the program's name, the working directory, and the
 * variables that whence or the dynamic linker reads.
 */
#ifndef WHENCE_LAUNCHER_START_H
#define WHENCE_LAUNCHER_START_H

#include "plan.h"

/* Makes the key of `whence run WORD…`. Returns how many words belong to it, options and the
 * program's name; 0 if no plan can exist for this command line. */
size_t start_key_make(struct plan_key *key, int count, char **words);

#endif
