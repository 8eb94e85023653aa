/* What secrets decide. The first argument says which; with CLEAN the same is computed in constant time. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sanitizer/msan_interface.h>
#include <whence/domain.h>

static unsigned table[256];
static volatile unsigned sink;

#define MASK(c) (0u - ((unsigned)(c) >> 31))

__attribute__((noinline)) static unsigned opaque(unsigned x) {
    __asm__("" : "+r"(x));
    return x;
}

int main(int argc, char **argv) {
    unsigned key[4] = {1, 2, 3, 0x80000001};
    (void)argc;
    if (argv[2]) __msan_allocated_memory(key, sizeof key);
    else whence_label(key, sizeof key, "secret");
    unsigned k = key[3] ^ key[1];
    switch (argv[1][0]) {
    case 'b':
#ifdef CLEAN
        sink = opaque(MASK(k)) & 5;
#else
        if (k >> 31) sink += write(1, "", 0) ? 5 : 7; // expect: secret-branch
#endif
        break;
    case 'a':
#ifdef CLEAN
        for (unsigned i = 0; i < 256; i++) sink |= table[i] & opaque(MASK((i ^ (k & 255)) - 1));
#else
        sink = table[k & 255]; // expect: secret-address
#endif
        break;
    case 'd':
#ifdef CLEAN
        sink = (unsigned)((unsigned long)k * 0xcccccccdul >> 35);
#else
        sink = 1000 / (k | 1); // expect: secret-division
#endif
        break;
    case 's':
#ifdef CLEAN
        sink = 3 ^ (opaque(MASK(k)) & (3 ^ 9));
#else
        sink = k > 77 ? (unsigned)argc : sink; // expect: secret-select
#endif
        break;
    case 'm': {
        char to[64], from[64] = "";
#ifdef CLEAN
        memcpy(to, from, 64);
#else
        memcpy(to, from, k & 31); // expect: secret-size
#endif
        sink = (unsigned char)to[0];
        break;
    }
    case 'w':
#ifdef CLEAN
        whence_unlabel(key, sizeof key, "secret");
        __msan_unpoison(key, sizeof key);
#endif
        sink = (unsigned)write(1, key, sizeof key); // expect: secret-written
        break;
    }
    return 0;
}
