/* Parts of the guarded allocator that need no process of their own, under sanitizers. */
#include "guard/config.c"
#include "guard/width.c"

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

struct sample {
    unsigned width;
    const char *code;
    unsigned size;
};

static void widths(void) {
    static const struct sample samples[] = {
        {1, "\x8a\x07", 2},                 /* mov (%rdi),%al */
        {4, "\x8b\x07", 2},                 /* mov (%rdi),%eax */
        {8, "\x48\x8b\x07", 3},             /* mov (%rdi),%rax */
        {2, "\x66\x89\x07", 3},             /* mov %ax,(%rdi) */
        {1, "\x0f\xb6\x07", 3},             /* movzbl */
        {2, "\x0f\xbf\x07", 3},             /* movswl */
        {4, "\xf0\x83\x07\x03", 4},         /* lock addl */
        {16, "\x0f\x10\x07", 3},            /* movups */
        {4, "\xf3\x0f\x10\x07", 4},         /* movss */
        {8, "\xf2\x0f\x11\x07", 4},         /* movsd */
        {16, "\xf3\x0f\x6f\x07", 4},        /* movdqu */
        {8, "\x66\x0f\xd6\x07", 4},         /* movq */
        {32, "\xc5\xfe\x6f\x07", 4},        /* vmovdqu ymm */
        {16, "\xc4\xc1\x7a\x6f\x07", 5},    /* vmovdqu xmm, (%r15) */
        {64, "\x62\xf1\xfe\x48\x6f\x07", 6}, /* vmovdqu64 zmm */
        {0, "\x62\xf1\xfe\x49\x6f\x07", 6}, /* the same, masked */
        {16, "\x48\x0f\xc7\x0f", 4},        /* cmpxchg16b */
        {8, "\xff\x17", 2},                 /* call *(%rdi) */
        {10, "\xdb\x2f", 2},                /* fldt */
        {0, "\x0f\x0b", 2},                 /* ud2 */
        {0, "", 0},
        {0, "\x48", 1},
        {0, "\x62\xf1", 2},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct access_shape shape = width_of((const uint8_t *)samples[i].code, samples[i].size);
        if (shape.width != samples[i].width) printf("sample %zu: %u\n", i, shape.width);
        EXPECT(shape.width == samples[i].width && !shape.operation);
    }
    struct access_shape rep = width_of((const uint8_t *)"\xf3\x48\xa5", 3);
    EXPECT(rep.width == 8 && rep.operation == 0xa4 && rep.length == 3);
    srand(2);
    for (int i = 0; i < 200000; i++) {
        uint8_t code[15];
        unsigned size = (unsigned)rand() % 16;
        uint8_t *exact = malloc(size ? size : 1);
        for (unsigned k = 0; k < size; k++) exact[k] = code[k] = (uint8_t)rand();
        EXPECT(width_of(exact, size).width <= 64);
        free(exact);
    }
}

int main(void) {
    fields();
    widths();
    return 0;
}
