// An array of objects is deleted as one of their class.
// RUN: cflags -std=c++17 -fsized-deallocation
struct Part {
    int weight = 0;
    ~Part() { weight = 0; }
};
struct Wheel : Part {
    int spokes[3] = {};
};

int main(int count, char **) {
    Wheel *wheels = new Wheel[count + 2];
    Wheel *parts = wheels;
    delete[] parts;
    return 0;
}
