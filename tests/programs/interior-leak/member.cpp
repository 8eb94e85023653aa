// Only the address of a member is kept.
// ASan misses this: a pointer anywhere into a block keeps it
// RUN: options --enable interior-leak
struct Account {
    long number;
    char owner[40];
    long balance;
};

static long *balance;

__attribute__((noinline)) static void open(long number) {
    auto *account = new Account{}; // EXPECT interior-leak block 56 count 1 bytes 56
    account->number = number;
    balance = &account->balance;
}

int main() {
    open(17);
    *balance += 5;
    return *balance != 5;
}
