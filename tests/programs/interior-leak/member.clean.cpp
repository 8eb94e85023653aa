// The address of a member is kept, and the object as well.
// RUN: options --enable interior-leak
struct Account {
    long number;
    char owner[40];
    long balance;
};

static long *balance;
static Account *account;

__attribute__((noinline)) static void open(long number) {
    account = new Account{};
    account->number = number;
    balance = &account->balance;
}

int main() {
    open(17);
    *balance += 5;
    return *balance != 5;
}
