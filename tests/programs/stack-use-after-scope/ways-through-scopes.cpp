// Pointers to variables of loops, switches, statement expressions, temporaries and blocks that exceptions,
// goto and longjmp leave are used while the variables live, except for one.
#include <csetjmp>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

static jmp_buf back;

[[gnu::noinline]] static int take(int *p) { return ++*p; }

[[gnu::noinline]] static int length(const std::string &text) {
    return static_cast<int>(text.size()) + text[0] - text[0];  // EXPECT stack-use-after-scope read * block 32
}

[[gnu::noinline]] static int loops(int rounds) {
    int total = 0;
    for (int i = 0; i < rounds; i++) {
        int even = i % 2;
        if (take(&even) == 1)
            continue;
        for (int j = 0; j < 4; j++) {
            int inner = j;
            if (take(&inner) == 3)
                break;
            total += take(&even);
        }
        total += take(&even);
    }
    return total;
}

[[gnu::noinline]] static int ways(int which) {
    int *kept = nullptr, total = 0;
    switch (which % 4) {
    case 0: {
        int first = which;
        total += take(&first);
        break;
    }
    case 1:
        int second;
        second = which;
        [[fallthrough]];
    case 2:
        second = 2;
        kept = &second;
        total += take(kept);
        break;
    default:
        total += ({
            int value = which;
            take(&value);
        });
    }
    {
        int count = 0;
    again:
        int *p = &count;
        if (take(p) < 3)
            goto again;
        total += take(&count);
    }
    return total;
}

[[gnu::noinline]] static int throwing(int depth) {
    std::string text(static_cast<size_t>(depth), 'x');
    try {
        int local = depth;
        if (take(&local) > 3)
            throw std::runtime_error(text);
        return throwing(depth + 1) + take(&local);
    } catch (const std::runtime_error &error) {
        int caught = length(error.what()) + length(text);
        if (depth > 1)
            throw;
        return take(&caught);
    }
}

[[gnu::noinline]] static int jumping() {
    volatile int rounds = 0;
    int code = setjmp(back);
    {
        int local = code;
        take(&local);
        rounds = rounds + local;
    }
    if (rounds < 9)
        std::longjmp(back, rounds);
    return rounds;
}

static const std::string &longer(const std::string &a, const std::string &b) {
    return a.size() > b.size() ? a : b;
}

int main() {
    int total = loops(10);
    for (int i = 0; i < 8; i++)
        total += ways(i);
    total += throwing(1) + jumping();
    for (int i = 0; i < 3; i++) {
        std::vector<std::string> words{"one", "three", std::string(40, 'y')};
        for (const std::string &word : words)
            total += length(word + "s");
        const std::string &kept = std::string("temporary") + "!";
        total += length(longer(kept, std::string("short")));
        const std::string &late = longer(kept, std::string(12, 'z'));
        total += length(late);
        auto add = [&](int more) { return take(&total) + more; };
        total = add(i) > 0 ? add(1) : add(2);
    }
    return total < 0;
}
