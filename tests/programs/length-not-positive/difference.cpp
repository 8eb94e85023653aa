// A buffer gets the difference of two positions in the wrong order.
// RUN: options --enable length-not-positive
static int copied(int begin, int end) {
    short buffer[end - begin]; // EXPECT length-not-positive
    buffer[0] = 3;
    return buffer[0];
}

int main(int argc, char **) { return copied(8, 6 + argc) == 77; }
