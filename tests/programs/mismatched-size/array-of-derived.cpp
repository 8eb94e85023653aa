// An array of objects is deleted as one of their base, which is smaller.
// Memcheck misses this: versions before 3.22 do not look at sizes
// RUN: cflags -std=c++17 -fsized-deallocation
struct Part {
    int weight = 0;
    ~Part() { weight = 0; }
};
struct Wheel : Part {
    int spokes[3] = {};
};

int main(int count, char **) {
    Wheel *wheels = new Wheel[count + 2]; // ALLOC
    Part *parts = wheels;
    delete[] parts; // EXPECT mismatched-size block 56 inside 0
    return 0;
}
