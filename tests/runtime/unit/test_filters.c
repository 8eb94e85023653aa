/* modules: process/filters os/os */
#include "../../../runtime/process/filters.h"
#include "../../../runtime/os/os.h"
#include "unit.h"

#include <errno.h>
#include <linux/audit.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define S(code, jt, jf, k) {(uint16_t)(code), jt, jf, k}
#define LOAD(field) S(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, field))
#define IF(value, yes, no) S(BPF_JMP | BPF_JEQ | BPF_K, yes, no, value)
#define RET(value) S(BPF_RET | BPF_K, 0, 0, value)
#define RETURN_A S(BPF_RET | BPF_A, 0, 0, 0)
#define ALLOW SECCOMP_RET_ALLOW
#define KILL SECCOMP_RET_KILL_THREAD
#define ANSWER(...)                                                                                \
    answer((const struct sock_filter[]){__VA_ARGS__},                                              \
           sizeof((const struct sock_filter[]){__VA_ARGS__}) / sizeof(struct sock_filter))

static const struct seccomp_data data = {
    SYS_write, AUDIT_ARCH_X86_64, 0x1122334455667788, {1, 2, 0x700000003, 4, 5, 6}};

/* A copy of exactly its size, so that ASan sees what lies behind it read. */
static uint32_t answer(const struct sock_filter *code, size_t count) {
    struct sock_filter *copy = malloc(count * sizeof *code + 1);
    memcpy(copy, code, count * sizeof *code);
    uint32_t result = filters_answer(copy, count, &data);
    free(copy);
    return result;
}

static void test_operations(void) {
    static const struct {
        uint16_t operation;
        uint32_t a, value, result;
    } rows[] = {
        {BPF_ADD, 0xffffffff, 2, 1},
        {BPF_SUB, 1, 2, 0xffffffff},
        {BPF_MUL, 0x10001, 0x10000, 0x10000},
        {BPF_DIV, 7, 2, 3},
        {BPF_DIV, 7, 0, KILL},
        {BPF_AND, 6, 3, 2},
        {BPF_OR, 6, 3, 7},
        {BPF_XOR, 6, 3, 5},
        {BPF_LSH, 1, 31, 0x80000000},
        {BPF_LSH, 1, 33, 2},
        {BPF_RSH, 0x80000000, 31, 1},
        {BPF_NEG, 1, 0, 0xffffffff},
        {BPF_MOD, 7, 2, KILL}, /* seccomp does not have it */
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint16_t code = BPF_ALU | rows[i].operation;
        CHECK_EQUAL(ANSWER(S(BPF_LD | BPF_IMM, 0, 0, rows[i].a),
                           S(code | BPF_K, 0, 0, rows[i].value), RETURN_A),
                    rows[i].result);
        CHECK_EQUAL(ANSWER(S(BPF_LDX | BPF_IMM, 0, 0, rows[i].value),
                           S(BPF_LD | BPF_IMM, 0, 0, rows[i].a), S(code | BPF_X, 0, 0, 0),
                           RETURN_A),
                    rows[i].result);
    }
}

static void test_loads_and_jumps(void) {
    CHECK_EQUAL(ANSWER(LOAD(nr), RETURN_A), SYS_write);
    CHECK_EQUAL(ANSWER(LOAD(args[2]), RETURN_A), 3);
    CHECK_EQUAL(ANSWER(S(BPF_LD | BPF_W | BPF_ABS, 0, 0, 36), RETURN_A), 7);
    CHECK_EQUAL(ANSWER(S(BPF_LD | BPF_W | BPF_LEN, 0, 0, 0), RETURN_A), sizeof data);
    CHECK_EQUAL(
        ANSWER(S(BPF_LDX | BPF_W | BPF_LEN, 0, 0, 0), S(BPF_MISC | BPF_TXA, 0, 0, 0), RETURN_A),
        sizeof data);
    CHECK_EQUAL(ANSWER(LOAD(nr), S(BPF_ST, 0, 0, 15), S(BPF_LDX | BPF_MEM, 0, 0, 15),
                       S(BPF_STX, 0, 0, 0), S(BPF_LD | BPF_MEM, 0, 0, 0), RETURN_A),
                SYS_write);
    CHECK_EQUAL(ANSWER(LOAD(nr), S(BPF_MISC | BPF_TAX, 0, 0, 0),
                       S(BPF_JMP | BPF_JEQ | BPF_X, 0, 1, 0), RET(1), RET(2)),
                1);
    CHECK_EQUAL(ANSWER(LOAD(nr), S(BPF_JMP | BPF_JGT | BPF_K, 0, 1, SYS_write), RET(1), RET(2)), 2);
    CHECK_EQUAL(ANSWER(LOAD(nr), S(BPF_JMP | BPF_JGE | BPF_K, 0, 1, SYS_write), RET(1), RET(2)), 1);
    CHECK_EQUAL(ANSWER(LOAD(nr), S(BPF_JMP | BPF_JSET | BPF_K, 0, 1, 2), RET(1), RET(2)), 2);
    CHECK_EQUAL(ANSWER(S(BPF_JMP | BPF_JA, 0, 0, 1), RET(1), RET(2)), 2);
}

static void test_malformed(void) {
    CHECK_EQUAL(answer(&(struct sock_filter)RET(ALLOW), 0), KILL);
    CHECK_EQUAL(ANSWER(LOAD(nr)), KILL); /* no end */
    CHECK_EQUAL(ANSWER(S(BPF_JMP | BPF_JA, 0, 0, 0xffffffff), RET(ALLOW)), KILL);
    CHECK_EQUAL(ANSWER(IF(0, 255, 255), RET(ALLOW)), KILL);
    CHECK_EQUAL(ANSWER(S(BPF_LD | BPF_MEM, 0, 0, 16), RET(ALLOW)), KILL);
    CHECK_EQUAL(ANSWER(S(BPF_LDX | BPF_MEM, 0, 0, 0xffffffff), RET(ALLOW)), KILL);
    CHECK_EQUAL(ANSWER(S(BPF_ST, 0, 0, 16), RET(ALLOW)), KILL);
    CHECK_EQUAL(ANSWER(S(BPF_STX, 0, 0, 0xffffffff), RET(ALLOW)), KILL);
    CHECK_EQUAL(ANSWER(S(BPF_LD | BPF_W | BPF_ABS, 0, 0, sizeof data), RET(ALLOW)), KILL);
    CHECK_EQUAL(ANSWER(S(BPF_LD | BPF_W | BPF_ABS, 0, 0, 2), RET(ALLOW)), KILL);
    CHECK_EQUAL(ANSWER(S(BPF_LD | BPF_W | BPF_IND, 0, 0, 0), RET(ALLOW)), KILL);
    CHECK_EQUAL(ANSWER(S(BPF_LDX | BPF_B | BPF_MSH, 0, 0, 0), RET(ALLOW)), KILL);
}

/* Whatever the instructions are, only what is there is read, and it ends. */
static void test_nonsense(void) {
    for (unsigned round = 0; round < 20000; round++) {
        struct sock_filter code[24];
        size_t count = unit_below(24);
        for (size_t i = 0; i < count; i++) {
            uint64_t word = unit_random();
            memcpy(&code[i], &word, sizeof word);
            code[i].code &= 0xff;
            if (unit_below(2)) code[i].k &= 31;
            if (unit_below(2)) code[i].jt &= 7, code[i].jf &= 7;
        }
        answer(code, count);
    }
}

static int allowed(long number, uint64_t first) {
    return filters_allow(number, (const uint64_t[6]){first});
}

static void test_several(void) {
    const struct sock_filter no_write[] = {LOAD(nr), IF(SYS_write, 0, 1), RET(SECCOMP_RET_ERRNO),
                                           RET(ALLOW)},
                             no_nine[] = {LOAD(args[0]), IF(9, 0, 1), RET(SECCOMP_RET_TRAP),
                                          RET(SECCOMP_RET_LOG)};
    static struct sock_filter large[FILTERS_CODE];
    CHECK(allowed(SYS_write, 9));
    unsigned first = filters_keep(no_write, 4), second = filters_keep(no_nine, 4);
    CHECK(first && second);
    CHECK(!allowed(SYS_write, 1) && allowed(SYS_read, 1) && !allowed(SYS_read, 9));
    filters_drop(first); /* the other one stays */
    CHECK(allowed(SYS_write, 1) && !allowed(SYS_write, 9));
    CHECK_EQUAL(filters_keep(large, FILTERS_CODE), 0);
    CHECK_EQUAL(filters_keep(large, 0), 0);
    filters_drop(second);
    CHECK_EQUAL(filters_count(), 0);
    CHECK_EQUAL(filters_keep(large, FILTERS_CODE), 1);
    filters_drop(1);
    for (unsigned i = 0; i < FILTERS_MOST; i++) CHECK_EQUAL(filters_keep(no_write, 4), i + 1);
    CHECK_EQUAL(filters_keep(no_write, 4), 0);
    for (unsigned i = FILTERS_MOST; i > 0; i--) filters_drop(i);
    CHECK_EQUAL(filters_count(), 0);
}

/* ---- beside the kernel ---- */

/* In a child with the filter: whether the kernel makes getppid with this first argument. */
static int kernel_allows(const struct sock_filter *code, unsigned short count, uint64_t first) {
    struct sock_fprog program = {count, (struct sock_filter *)(uintptr_t)code};
    pid_t child = fork();
    if (!child) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
            _exit(2);
        _exit(os_pass(SYS_getppid, (long)first, 0, 0, 0, 0, 0) == -EPERM);
    }
    int status;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) < 2);
    return WEXITSTATUS(status) == 0;
}

#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define OTHERS LOAD(nr), IF(SYS_getppid, 1, 0), RET(ALLOW), LOAD(args[0])

static void test_beside_the_kernel(void) {
    static const struct sock_filter programs[][10] = {
        {OTHERS, S(BPF_JMP | BPF_JGT | BPF_K, 0, 1, 5), RET(REFUSE), RET(ALLOW)},
        {OTHERS, S(BPF_JMP | BPF_JSET | BPF_K, 1, 0, 0x80000001), RET(REFUSE), RET(ALLOW)},
        {OTHERS, S(BPF_ALU | BPF_LSH | BPF_K, 0, 0, 30), IF(0, 0, 1), RET(REFUSE), RET(ALLOW)},
        {OTHERS, S(BPF_MISC | BPF_TAX, 0, 0, 0), S(BPF_ALU | BPF_MUL | BPF_X, 0, 0, 0),
         IF(49, 0, 1), RET(REFUSE), RET(ALLOW)},
        {OTHERS, S(BPF_ALU | BPF_NEG, 0, 0, 0), S(BPF_JMP | BPF_JGE | BPF_K, 0, 1, 0xfffffff9),
         RET(REFUSE), RET(ALLOW)},
        {OTHERS, S(BPF_ST, 0, 0, 3), S(BPF_LDX | BPF_MEM, 0, 0, 3),
         S(BPF_ALU | BPF_SUB | BPF_X, 0, 0, 0), IF(0, 0, 1), RET(ALLOW), RET(REFUSE)},
    };
    static const uint64_t arguments[] = {0, 1, 4, 5, 6, 7, 8, 0x80000000, 0xffffffff, 0x100000007};
    for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++) {
        unsigned short count = 10;
        while (BPF_CLASS(programs[i][count - 1].code) != BPF_RET) count--;
        unsigned number = filters_keep(programs[i], count);
        for (unsigned j = 0; j < sizeof arguments / sizeof *arguments; j++)
            CHECK_EQUAL(allowed(SYS_getppid, arguments[j]),
                        kernel_allows(programs[i], count, arguments[j]));
        filters_drop(number);
    }
}

int main(void) {
    test_operations();
    test_loads_and_jumps();
    test_malformed();
    test_nonsense();
    test_several();
    test_beside_the_kernel();
    return 0;
}
