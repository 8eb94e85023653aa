// A table has a function with fewer parameters.
// RUN: options --enable mismatched-function-type
struct event {
    int number;
};

typedef int handler(struct event *, void *);

static int on_start(struct event *event, void *data) { return event->number + (data != 0); }

static int on_stop(struct event *event) {
    return event->number * 2;
}

static handler *const handlers[] = {on_start, (handler *)on_stop};

int main(int argc, char **argv) {
    struct event event = {argc};
    int sum = 0;
    for (int i = 0; i < 2; i++)
        sum += handlers[i](&event, argv); // EXPECT mismatched-function-type
    return sum == 77;
}
