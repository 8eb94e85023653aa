/* The stack has pointers to blocks that the C++ library's initialisers allocated, as old words may have them: all
 * words of the library's data that look like pointers to the heap. With an argument, the program's own block. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

int main(int argc, char **)
{
    volatile uintptr_t kept[64] = {};
    unsigned count = 0;
    void *own = malloc(24);
    uintptr_t heap = reinterpret_cast<uintptr_t>(own) >> 44;
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    while (maps && fgets(line, sizeof line, maps)) {
        static char library[4096];
        uintptr_t begin, end;
        char protection[5], path[4096] = "";
        sscanf(line, "%lx-%lx %4s %*s %*s %*s %4095s", &begin, &end, protection, path);
        int follows = !*path && *library;
        snprintf(library, sizeof library, "%s", strstr(path, "libstdc++") || follows ? line : "");
        if (!*library || protection[1] != 'w')
            continue;
        for (uintptr_t at = begin; at < end; at += sizeof at) {
            uintptr_t word;
            memcpy(&word, reinterpret_cast<void *>(at), sizeof word);
            if (word >> 44 == heap && count < 64)
                kept[count++] = word;
        }
    }
    if (maps)
        fclose(maps);
    printf("%u\n", count);
    if (argc == 1)
        free(own);
    std::set_terminate(nullptr); /* so that the library is linked */
    exit(0);
}
