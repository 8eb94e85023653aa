/* From the environment and the arguments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    char command[300];
    const char *path = getenv("PATH");
#ifdef CLEAN
    path = argc > 5 ? "b" : "a";
    argv[0] = "c";
#endif
    snprintf(command, sizeof command, "true %.50s", path ? path : argv[0]);
    return system(command); // expect: foreign-command
}
