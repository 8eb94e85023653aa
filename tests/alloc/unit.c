/* Parts of the guarded allocator that need no process of their own, under sanitizers. */
#include "guard/config.c"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(x)                                                                                  \
    do                                                                                             \
        if (!(x)) {                                                                                \
            printf("%d: %s\n", __LINE__, #x);                                                      \
            exit(1);                                                                               \
        }                                                                                          \
    while (0)

static int parses(const char *text, struct guard_config *config) {
    int chosen;
    TEXT(error, 512);
    char *exact = malloc(strlen(text) + 1); /* so that a read behind it is seen */
    memcpy(exact, text, strlen(text) + 1);
    int result = guard_parse(exact, strlen(text), config, &chosen, &error);
    EXPECT(result == (error.length == 0));
    free(exact);
    return result;
}

static void fields(void) {
    struct guard_config c;
    EXPECT(parses("", &c) && c.type == GUARD_TOP && c.red == 4096 && c.empty == 4096);
    EXPECT(c.reserved == 8 << 20 && c.alignment == GUARD_NATURAL);
    EXPECT(parses("BW,8k,1M,0,A", &c) && c.type == GUARD_BOTH_WRITE && c.red == 8192);
    EXPECT(c.empty == 1 << 20 && c.reserved == 0 && c.alignment == GUARD_ALWAYS);
    EXPECT(parses(",1,,5000,", &c) && c.red == 4096 && c.reserved == 8192);
    EXPECT(parses("b,,,,e", &c) && c.type == GUARD_BOTTOM && c.alignment == GUARD_EXACT);
    EXPECT(parses("R", &c) && (c.type == GUARD_TOP || c.type == GUARD_BOTTOM));
    EXPECT(!parses("BRX", &c) && !parses("T,k", &c) && !parses("T,1k1", &c) && !parses("T,4kk", &c));
    static const char letters[] = "TBRWP,,,0129kMAE -x";
    srand(1);
    for (int i = 0; i < 20000; i++) {
        char text[24];
        int length = rand() % 23;
        for (int k = 0; k < length; k++) text[k] = letters[rand() % (sizeof letters - 1)];
        text[length] = 0;
        parses(text, &c);
    }
}

int main(void) {
    fields();
    return 0;
}
