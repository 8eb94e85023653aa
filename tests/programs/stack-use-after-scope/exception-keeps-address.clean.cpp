// An exception carries the address of a variable of main, which reads it after the functions have returned.

struct Failure {
    int *where;
};

[[gnu::noinline]] static void fail(int *at) { throw Failure{at}; }

[[gnu::noinline]] static Failure attempt(int *outer) {
    try {
        fail(outer);
    } catch (const Failure &failure) {
        ++*failure.where;
        return failure;
    }
    return {nullptr};
}

int main(int argc, char **) {
    int outer = argc;
    Failure failure = attempt(&outer);
    return *failure.where != 2;
}
