// A table in a template is read.
template <class T> struct Digits {
    static constexpr T values[4] = {1, 2, 3, 4};
};

__attribute__((noinline)) static int get(const char *p, int i) { return p[i]; }

int main() { return get(Digits<char>::values, 3) == 77; }
