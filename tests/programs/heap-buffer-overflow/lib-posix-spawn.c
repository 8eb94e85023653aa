// The environment given to posix_spawn does not end with NULL.
// Memcheck misses this: it does not look at what the child will read
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

int main(void) {
    char *argv[] = {"true", NULL};
    char **environment = malloc(2 * sizeof *environment); // ALLOC
    environment[0] = "LANG=C";
    environment[1] = "TZ=UTC";
    pid_t child;
    int failed = posix_spawnp(&child, "true", NULL, NULL, argv, environment); // EXPECT heap-buffer-overflow read * block 16 after 0 in posix_spawnp
    if (!failed)
        waitpid(child, NULL, 0);
    free(environment);
    return 0;
}
