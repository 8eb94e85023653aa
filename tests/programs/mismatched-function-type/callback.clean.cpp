// A callback takes a pointer of another class.
// RUN: options --enable mismatched-function-type
struct Widget {
    int id;
};
struct Button : Widget {
    int clicks;
};

using Callback = void (*)(Widget *);

static void clicked(Widget *widget) {
    Button *button = static_cast<Button *>(widget);
    button->clicks++;
}

static void notify(Callback callback, Widget *widget) {
    callback(widget);
}

int main() {
    Button button{};
    notify(reinterpret_cast<Callback>(clicked), &button);
    return button.clicks == 77;
}
