// A function returns the address of a struct that was passed to it by value.
struct Numbers {
    int values[8];
};

[[gnu::noinline]] static Numbers *kept(Numbers numbers) { // BORN
    Numbers *volatile address = &numbers;
    return address;
}

int main() {
    Numbers numbers = {};
    Numbers *address = kept(numbers);
    address->values[0] = 7; // EXPECT stack-use-after-scope write 4
    return numbers.values[0] != 0;
}
