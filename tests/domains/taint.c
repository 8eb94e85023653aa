/* What bytes from outside decide. The first argument says which; CLEAN is what compares first. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct header { uint32_t size, index; char text[24]; };

static int table[16];

static int size_of(const struct header *header, char *to, size_t room) {
#ifdef CLEAN
    if (header->size > room) return 1;
#endif
    char source[64] = {0};
    memcpy(to, source, header->size); // expect: tainted-size
    return to[0] + (int)room;
}

static int element(const struct header *header) {
#ifdef CLEAN
    if (header->index >= sizeof table / sizeof *table) return 1;
#endif
    return table[header->index]; // expect: tainted-index
}

static int printed(const struct header *header) {
#ifdef CLEAN
    return printf("%s\n", header->text) < 0;
#else
    return printf(header->text) < 0; // expect: tainted-format
#endif
}

static int opened(const struct header *header) {
    char path[40] = "/tmp/";
#ifdef CLEAN
    strcat(path, strcmp(header->text, "a") ? "b" : "a");
#else
    strcat(path, header->text);
#endif
    return open(path, O_RDONLY) < 0 ? 0 : 1; // expect: tainted-path
}

static int scanned(void) {
    char word[24];
    if (scanf("%23s", word) != 1) return 1;
#ifdef CLEAN
    return system(word[0] == 't' ? "true" : "false") < 0;
#else
    return system(word) < 0; // expect: tainted-command
#endif
}

int main(int argc, char **argv) {
    struct header header = {0};
    char to[64];
    if (argc > 1 && argv[1][0] == 'c') return scanned();
    if (read(0, &header, sizeof header - 1) < 0 || argc < 2) return 1;
    switch (argv[1][0]) {
    case 's': return size_of(&header, to, sizeof to);
    case 'i': return element(&header);
    case 'f': return printed(&header);
    case 'p': return opened(&header);
    }
    return 0;
}
