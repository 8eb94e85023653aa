// A part of a colour is put into a bit-field that is too narrow for it.
// RUN: options --enable implicit-unsigned-truncation
struct Color {
    unsigned red : 5;
    unsigned green : 6;
    unsigned blue : 5;
};

static void set_red(Color &color, unsigned red) {
    color.red = red; // EXPECT implicit-unsigned-truncation
}

int main(int argc, char **) {
    Color color{};
    set_red(color, 200u + static_cast<unsigned>(argc));
    return color.red == 0;
}
