// A union is read as an enumeration after a number was written.
// RUN: options --enable enumeration-out-of-range
enum State { off = -1, idle, on };

union Word {
    int number;
    State state;
};

static bool is_on(const Word &word) {
    return word.state == on;
}

int main(int argc, char **) {
    Word word;
    word.number = argc;
    return is_on(word) && argc == 77;
}
