// A temperature is converted to a signed number.
// RUN: options --enable float-conversion-overflow
static unsigned tenths(float degrees) {
    return static_cast<unsigned>(static_cast<int>(degrees * 10.0f));
}

int main(int argc, char **) { return tenths(-4.5f * static_cast<float>(argc)) == 7; }
