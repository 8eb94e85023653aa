// A text goes on into a page that may not be read; what is looked for stands before it.
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *text =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *last = text + page - 1;
    if (text == MAP_FAILED)
        return 1;
    memset(text, 'o', 2 * page);
    *last = 'x';
    if (mprotect(text + page, page, PROT_NONE))
        return 1;
    return strchr(text, 'x') != last || strchrnul(text, 'x') != last;
}
