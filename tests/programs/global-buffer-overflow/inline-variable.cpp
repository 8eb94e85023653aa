// A table in a template is read past its end.
template <class T> struct Digits {
    static constexpr T values[4] = {1, 2, 3, 4};
};

__attribute__((noinline)) static int get(const char *p, int i) { return p[i]; }  // EXPECT global-buffer-overflow read 1 block 4 after 0

int main() { return get(Digits<char>::values, 4) == 77; }
