// A text is copied into a static buffer that is placed in a section of its own, and does not fit.
// Memcheck misses this: memory of variables has no bounds for it.
#include <stdio.h>
#include <string.h>

struct entry {
    int key, value;
};

static char title[12] __attribute__((section(".data.hot"))) = "none";
static struct entry first __attribute__((section("entries"), used)) = {1, 2};
static struct entry second __attribute__((section("entries"), used)) = {3, 4};
extern struct entry __start_entries[], __stop_entries[];

__attribute__((noinline)) static void name(char *to, const char *text) {
    strcpy(to, text); // EXPECT global-buffer-overflow write 13 block 12 in strcpy
}

int main(void) {
    int sum = 0;
    for (struct entry *each = __start_entries; each < __stop_entries; each++)
        sum += each->key * each->value;
    name(title, "twelve bytes");
    printf("%s %d\n", title, sum);
    return sum != 14;
}
