// The environment given to posix_spawn does not end with NULL.
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

int main(void) {
    char *argv[] = {"true", NULL};
    char **environment = malloc(2 * sizeof *environment);
    environment[0] = "LANG=C";
    environment[1] = NULL;
    pid_t child;
    int failed = posix_spawnp(&child, "true", NULL, NULL, argv, environment);
    if (!failed)
        waitpid(child, NULL, 0);
    free(environment);
    return 0;
}
