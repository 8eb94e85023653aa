/* sys/ptrace.h: another process. What is at addresses there is not looked at. */
#include <stdarg.h>
#include "../check.h"

#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

enum where { DATA, PART, ADDRESS_SIZED, ADDRESS_ITEMS };

/* What a request reads or stores to: a structure at `data`, one that a part at `data` leads to, or
 * as many bytes at `data` as `address` says, or as many items as the structure that it leads to. */
static const struct request {
    int number;
    uint16_t size;
    uint8_t stores, where;
} requests[] = {
    {PTRACE_GETREGS, sizeof(struct user_regs_struct), 1, DATA},
    {PTRACE_SETREGS, sizeof(struct user_regs_struct), 0, DATA},
    {PTRACE_GETFPREGS, sizeof(struct user_fpregs_struct), 1, DATA},
    {PTRACE_SETFPREGS, sizeof(struct user_fpregs_struct), 0, DATA},
    {PTRACE_GETSIGINFO, sizeof(siginfo_t), 1, DATA},
    {PTRACE_SETSIGINFO, sizeof(siginfo_t), 0, DATA},
    {PTRACE_GETEVENTMSG, sizeof(long), 1, DATA},
    {PTRACE_GETREGSET, sizeof(struct iovec), 1, PART},
    {PTRACE_SETREGSET, sizeof(struct iovec), 0, PART},
    {PTRACE_GETSIGMASK, 0, 1, ADDRESS_SIZED},
    {PTRACE_SETSIGMASK, 0, 0, ADDRESS_SIZED},
    {PTRACE_GET_SYSCALL_INFO, 0, 1, ADDRESS_SIZED},
    {PTRACE_PEEKSIGINFO, sizeof(siginfo_t), 1, ADDRESS_ITEMS},
};

static const struct request *find(int number) {
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        if (requests[i].number == number) return &requests[i];
    return NULL;
}

/* A stand-in takes what may be less than there is room for. */
struct taken {
    struct bounce bounce;
    struct iovec part;
    size_t item; /* bytes of a unit of the result */
};

/* What stands for `data`. */
static void *begin(struct site site, const struct request *of, void *address, void *data,
                   struct taken *own) {
    struct iovec *part = data;
    struct __ptrace_peeksiginfo_args *items = address;
    switch (of->where) {
    case DATA: check_structure(site, data, of->size, of->stores); return data;
    case PART:
        check_structure(site, part, sizeof *part, 1);
        if (!is_there(part, sizeof *part)) return data;
        check_used(site, part, sizeof *part);
        if (!of->stores) check_structure(site, part->iov_base, part->iov_len, 0);
        own->bounce = bounce_block(site, part->iov_base, of->stores ? part->iov_len : 0);
        own->part = (struct iovec){own->bounce.buffer, part->iov_len};
        return &own->part;
    case ADDRESS_ITEMS:
        check_structure(site, items, sizeof *items, 0);
        if (!is_there(items, sizeof *items)) return data;
        check_used(site, items, sizeof *items);
        own->item = of->size;
        own->bounce = bounce_block(site, data, bytes_of(arrived(items->nr), of->size));
        return own->bounce.buffer;
    default:
        own->item = 1;
        if (!of->stores) check_structure(site, data, (size_t)address, 0);
        own->bounce = bounce_block(site, data, of->stores ? (size_t)address : 0);
        return own->bounce.buffer;
    }
}

/* How much has been stored. */
static size_t stored(const struct request *of, const void *address, const struct taken *own,
                     long result) {
    if (result < 0) return 0;
    if (of->where == PART) return own->part.iov_len;
    if (of->number == PTRACE_GETSIGMASK) return (size_t)address;
    return bytes_of(arrived(result), own->item);
}

WRAP(long, ptrace, (enum __ptrace_request number, ...)) {
    va_list arguments;
    va_start(arguments, number);
    pid_t process = va_arg(arguments, pid_t);
    void *address = va_arg(arguments, void *), *data = va_arg(arguments, void *), *given = data;
    va_end(arguments);
    const struct request *of = find((int)number);
    struct taken own = {0};
    if (of) given = begin(SITE, of, address, data, &own);
    long result = NEXT(ptrace)(number, process, address, given);
    if (!of) return result;
    if (of->where == DATA && of->stores && result >= 0) WROTE(data, of->size);
    if (given == &own.part && result >= 0) ((struct iovec *)data)->iov_len = own.part.iov_len;
    bounce_end(SITE, &own.bounce, stored(of, address, &own, result));
    return result;
}
