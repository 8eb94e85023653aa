// Frees memory that came from mmap.
#include <stdlib.h>
#include <sys/mman.h>

int main(void) {
    char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return 1;
    p[5000] = 1;
    free(p); // EXPECT unmatched-free block none
    return 0;
}
