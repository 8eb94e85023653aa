// Memory from mmap, sbrk, a shared mapping and a file mapping, at its first and last bytes;
// mprotect and mremap.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    size_t size = 1 << 20;
    char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    p[0] = p[size - 1] = 1;
    p = mremap(p, size, 2 * size, MREMAP_MAYMOVE);
    memset(p + size, 2, size);
    mprotect(p, 4096, PROT_READ);
    int ok = p[0] == 1 && p[size - 1] == 1 && p[2 * size - 1] == 2;
    munmap(p, 2 * size);
    int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        shared[1023] = 77;
        _exit(0);
    }
    wait(NULL);
    ok &= shared[1023] == 77;
    char *b = sbrk(10000);
    memset(b, 3, 10000);
    ok &= b[9999] == 3;
    long sparse = 1L << 34;
    char *huge = mmap(NULL, sparse, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (long i = 0; i < sparse; i += 1L << 30)
        huge[i] = 4;
    ok &= huge[sparse - (1L << 30)] == 4 && huge[sparse - 1] == 0;
    munmap(huge, sparse);
    return !ok;
}
