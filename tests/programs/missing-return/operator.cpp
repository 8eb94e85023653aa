// An operator forgets to return the object.
// RUN: options --enable missing-return
struct Total {
    int sum = 0;
    Total &operator+=(int more) { // EXPECT missing-return
        sum += more;
    }
};

int main(int argc, char **) {
    Total total;
    total += argc;
    return total.sum == 77;
}
