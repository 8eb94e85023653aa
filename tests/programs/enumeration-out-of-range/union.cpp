// A union is read as an enumeration after a number was written.
// RUN: options --enable enumeration-out-of-range
enum State { off = -1, idle, on };

union Word {
    int number;
    State state;
};

static bool is_on(const Word &word) {
    return word.state == on; // EXPECT enumeration-out-of-range
}

int main(int argc, char **) {
    Word word;
    word.number = -7 * argc;
    return is_on(word) && argc == 77;
}
