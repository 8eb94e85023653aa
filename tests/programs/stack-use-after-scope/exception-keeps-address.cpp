// An exception carries the address of a variable of a function that catches it, and passes another on.

struct Failure {
    int *where;
};

[[gnu::noinline]] static void fail(int *at) { throw Failure{at}; }

[[gnu::noinline]] static Failure attempt(int n) {
    int inner = n;
    try {
        fail(&inner);
    } catch (const Failure &failure) {
        ++*failure.where;
        return failure;
    }
    return {nullptr};
}

int main(int argc, char **) {
    Failure failure = attempt(argc);
    return *failure.where != 2;  // EXPECT stack-use-after-scope read 4 block 4 inside 0
}
