/* The file that the user started.
 *
 * The process of an instrumented program runs a copy of that file from the cache, and the kernel
 * names the copy where it names the program. Programs look for their data beside themselves and
 * start themselves again by that name, so they see the name of the file instead. What
 * /proc/self/exe contains is the copy's, because it belongs to the addresses of the process.
 */
#ifndef WHENCE_PROCESS_PROGRAM_H
#define WHENCE_PROCESS_PROGRAM_H

#include <stddef.h>

/* Takes the path from the environment (as in /proc/self/environ), and names the process by it. */
void program_init(const char *environment, size_t size);
/* The path in the auxiliary vector, which follows the environment. */
void program_name_auxiliary(char **environment);

/* The path of the file; NULL where the process runs the file itself. */
const char *program_file(void);
/* The path of the copy that the process runs. */
const char *program_copy(void);
/* Whether a path is a name of /proc for the process's own program. */
int program_is_named(const char *path);
/* The path to resolve instead of `path`, which may be NULL. */
const char *program_meant(const char *path);
/* Whether executing a path would execute the file or its copy. */
int program_is(const char *path);
/* Whether readlink of a path would name the copy; not where the kernel refuses. */
int program_has_link(const char *path, const char *to, size_t size);
/* What readlink should give then. */
long program_link(char *to, size_t size);

#endif
