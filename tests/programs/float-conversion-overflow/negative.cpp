// A negative temperature is converted to an unsigned number.
// RUN: options --enable float-conversion-overflow
static unsigned tenths(float degrees) {
    return static_cast<unsigned>(degrees * 10.0f); // EXPECT float-conversion-overflow
}

int main(int argc, char **) { return tenths(-4.5f * static_cast<float>(argc)) == 7; }
