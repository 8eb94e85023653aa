/* Calls into a library that it loads at run time. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library)
        return fprintf(stderr, "%s\n", dlerror()), 1;
    int (*outer)(int) = (int (*)(int))dlsym(library, "outer");
    int result = outer(argc); /* frame: main */
    return result == 12345;
}
