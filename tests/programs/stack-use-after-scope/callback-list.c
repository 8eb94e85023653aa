// A list of callbacks has one with a context that was a variable of the function that has registered it.
struct context {
    int total, calls;
};

static void (*callbacks[4])(void *);
static void *contexts[4];
static int count;

static void add(void *context) {
    volatile int room[12] = {0};
    struct context *at = context;
    at->total += 5 + room[3];  // EXPECT stack-use-after-scope read 4 block 8 inside 0
    at->calls++;
}

__attribute__((noinline)) static void on_event(void (*callback)(void *), void *context) {
    callbacks[count] = callback;
    contexts[count++] = context;
}

__attribute__((noinline)) static void setup(int start) {
    struct context context = {start, 0};
    on_event(add, &context);
}

__attribute__((noinline)) static void fire(void) {
    for (int i = 0; i < count; i++)
        callbacks[i](contexts[i]);
}

int main(int argc, char **argv) {
    (void)argv;
    setup(argc);
    fire();
    return 0;
}
