// Functions measure how deep the stack is, whose variables may outlive the call: it grows downward, and no faster
// than a program allows that wants as little as 100 KiB.
static char *begin;
static void *kept;
static long most;

__attribute__((noinline)) static long depth(void) {
    char here;
    return begin - &here;
}

__attribute__((noinline)) static int is_below(char *upper) {
    char here;
    return &here < upper;
}

__attribute__((noinline)) static void parse(int deeper) {
    char text[40];
    kept = text;
    __asm__ volatile("" ::"r"(text) : "memory");
    long now = depth();
    if (now > most) most = now;
    if (!is_below(text)) most = 1l << 40;
    if (deeper) parse(deeper - 1);
    kept = 0;
    __asm__ volatile("" ::"r"(text) : "memory");
}

int main(void) {
    char here;
    begin = &here;
    parse(25);
    return most > 100l << 10;
}
