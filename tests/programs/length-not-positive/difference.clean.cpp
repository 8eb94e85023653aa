// The positions are in order.
// RUN: options --enable length-not-positive
static int copied(int begin, int end) {
    short buffer[begin < end ? end - begin : 1];
    buffer[0] = 3;
    return buffer[0];
}

int main(int argc, char **) { return copied(8, 6 + argc) == 77; }
