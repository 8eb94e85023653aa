// A function returns the address of a struct that was passed to it by value.
struct Numbers {
    int values[8];
};

[[gnu::noinline]] static Numbers *kept(Numbers numbers) { // BORN
    Numbers *volatile address = &numbers;
    return address;
}

int main() {
    Numbers numbers = {{1, 2, 3, 4, 5, 6, 7, 8}};
    Numbers *address = kept(numbers);
    address->values[0] = 7; // EXPECT stack-use-after-scope write 4
    return numbers.values[0] != 1;
}
