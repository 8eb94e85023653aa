/* In a list of arguments. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    static char name[32];
    ssize_t size = read(0, name, sizeof name - 1);
    if (size <= 0) return 1;
    char **list = calloc(4, sizeof *list);
    list[0] = "true";
    list[1] = "first";
#ifndef CLEAN
    list[2] = name;
#endif
    execv("/bin/true", list); // expect: foreign-program
    return 1;
}
