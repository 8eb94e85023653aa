// A callback takes a pointer of another class.
// RUN: options --enable mismatched-function-type
struct Widget {
    int id;
};
struct Button : Widget {
    int clicks;
};

using Callback = void (*)(Widget *);

static void clicked(Button *button) {
    button->clicks++;
}

static void notify(Callback callback, Widget *widget) {
    callback(widget); // EXPECT mismatched-function-type
}

int main() {
    Button button{};
    notify(reinterpret_cast<Callback>(clicked), &button);
    return button.clicks == 77;
}
