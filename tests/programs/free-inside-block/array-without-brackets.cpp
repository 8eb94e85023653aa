// An array with a hidden count in front of it is deleted as if it were one object.
struct Counted {
    ~Counted() { n = 0; }
    int n = 1;
};

int main() {
    Counted *array = new Counted[4]; // ALLOC
    int bad = array[3].n != 1;
    delete array; // EXPECT free-inside-block block 24 inside 8
    return bad;
}
