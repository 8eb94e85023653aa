// The auxiliary vector lies behind the environment, whose strings follow those of the command line.
#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

extern char **environ;

static unsigned long entry(unsigned long type) {
    char **end = environ;
    while (*end) end++;
    for (const Elf64_auxv_t *at = (const void *)(end + 1); at->a_type != AT_NULL; at++)
        if (at->a_type == type) return at->a_un.a_val;
    return 0;
}

static int follows(char *const *strings, char **end) {
    int ok = 1;
    for (; *strings; strings++) {
        ok &= *strings == *end;
        *end = *strings + strlen(*strings) + 1;
    }
    return ok;
}

int main(int argc, char **argv) {
    char *end = argv[0];
    int ok = argv + argc + 1 == environ && follows(argv, &end) && *environ == end;
    return !(ok && entry(AT_PAGESZ) == getauxval(AT_PAGESZ) && entry(AT_RANDOM) == getauxval(AT_RANDOM));
}
