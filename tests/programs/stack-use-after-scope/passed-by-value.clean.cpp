// A function changes a struct that was passed to it by value, and returns it.
struct Numbers {
    int values[8];
};

[[gnu::noinline]] static Numbers kept(Numbers numbers) {
    Numbers *volatile address = &numbers;
    address->values[0] = 7;
    return *address;
}

int main() {
    Numbers numbers = {};
    Numbers other = kept(numbers);
    return numbers.values[0] != 0 || other.values[0] != 7;
}
