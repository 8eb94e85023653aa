#include "cfi.h"
#include "../os/mem.h"

#include <link.h>

volatile uint64_t cfi_table[CFI_TABLE_SIZE];

/* ---- reading ---- */

/* DWARF numbers of registers. */
enum { FRAME_POINTER = 6, STACK_POINTER = 7, RETURN_ADDRESS = 16 };

/* A number in pieces of 7 bits, its last byte, and how many bits there were. */
static uint64_t read_pieces(const uint8_t **at, uint8_t *last, unsigned *bits) {
    uint64_t value = 0;
    *bits = 0;
    do {
        *last = *(*at)++;
        if (*bits < 64) value |= (uint64_t)(*last & 0x7f) << *bits;
        *bits += 7;
    } while (*last & 0x80);
    return value;
}

static uint64_t read_unsigned(const uint8_t **at) {
    uint8_t last;
    unsigned bits;
    return read_pieces(at, &last, &bits);
}

static int64_t read_signed(const uint8_t **at) {
    uint8_t last;
    unsigned bits;
    uint64_t value = read_pieces(at, &last, &bits);
    if (bits < 64 && (last & 0x40)) value |= ~0ull << bits;
    return (int64_t)value;
}

static uint64_t read_fixed(const uint8_t **at, unsigned size) {
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++) value |= (uint64_t)(*at)[i] << (8 * i);
    *at += size;
    return value;
}

/* A pointer in one of the DW_EH_PE encodings that linkers use; `data` is the
 * base of data-relative ones. */
static uint64_t read_pointer(const uint8_t **at, uint8_t encoding, uint64_t data) {
    uint64_t place = (uint64_t)(uintptr_t)*at, value;
    switch (encoding & 0x0f) {
    case 0x02: value = read_fixed(at, 2); break;
    case 0x03: value = read_fixed(at, 4); break;
    case 0x0a: value = (uint64_t)(int64_t)(int16_t)read_fixed(at, 2); break;
    case 0x0b: value = (uint64_t)(int64_t)(int32_t)read_fixed(at, 4); break;
    default: value = read_fixed(at, 8); break;
    }
    if ((encoding & 0x70) == 0x10) value += place;
    if ((encoding & 0x70) == 0x30) value += data;
    return value;
}

/* ---- finding the entry ---- */

struct entry {
    const uint8_t *program, *end;     /* of the function */
    const uint8_t *first, *first_end; /* common to many functions */
    uint64_t begin;                   /* first address of the function */
    uint64_t code_factor;
    int64_t data_factor;
    uint8_t encoding;
    uint8_t of_signal;
};

#define HEADER_VERSION 1u
#define TABLE_ENCODING 0x3bu /* sorted pairs of two signed words, data-relative */

struct pair {
    int32_t begin, entry;
};

/* Searches the sorted table of an .eh_frame_hdr. */
static const uint8_t *search(const uint8_t *header, uint64_t pc) {
    if (header[0] != HEADER_VERSION || header[3] != TABLE_ENCODING) return NULL;
    uint64_t base = (uint64_t)(uintptr_t)header;
    const uint8_t *at = header + 4;
    read_pointer(&at, header[1], base);
    uint64_t count = read_pointer(&at, header[2], base), low = 0, high = count;
    const struct pair *pairs = (const struct pair *)(const void *)at;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (base + (uint64_t)(int64_t)pairs[middle].begin <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? (const uint8_t *)(uintptr_t)(base + (uint64_t)(int64_t)pairs[low - 1].entry)
               : NULL;
}

/* The common part. 0 if it uses what is not understood here. */
static int read_common(const uint8_t *at, struct entry *entry) {
    uint32_t length = (uint32_t)read_fixed(&at, 4);
    if (length == 0 || length == UINT32_MAX || read_fixed(&at, 4) != 0) return 0;
    entry->first_end = at - 4 + length;
    uint8_t version = *at++;
    const char *augmentation = (const char *)at;
    at += wh_length(augmentation) + 1;
    entry->code_factor = read_unsigned(&at);
    entry->data_factor = read_signed(&at);
    uint64_t return_address = version == 1 ? *at++ : read_unsigned(&at);
    if (return_address != RETURN_ADDRESS) return 0;
    entry->encoding = entry->of_signal = 0;
    if (*augmentation == 'z') {
        uint64_t size = read_unsigned(&at);
        const uint8_t *data = at;
        at += size;
        while (*++augmentation) {
            if (*augmentation == 'R')
                entry->encoding = *data++;
            else if (*augmentation == 'L')
                data++;
            else if (*augmentation == 'P') {
                uint8_t encoding = *data++;
                read_pointer(&data, encoding, 0);
            } else if (*augmentation == 'S')
                entry->of_signal = 1;
        }
    } else if (*augmentation) {
        return 0;
    }
    entry->first = at;
    return 1;
}

static int read_entry(const uint8_t *at, uint64_t pc, struct entry *entry) {
    uint32_t length = (uint32_t)read_fixed(&at, 4);
    if (length == 0 || length == UINT32_MAX) return 0;
    entry->end = at + length;
    const uint8_t *place = at;
    uint32_t back = (uint32_t)read_fixed(&at, 4);
    if (!back || !read_common(place - back, entry)) return 0;
    entry->begin = read_pointer(&at, entry->encoding, 0);
    uint64_t size = read_pointer(&at, entry->encoding & 0x0f, 0);
    if (pc - entry->begin >= size) return 0;
    uint64_t augmentation = read_unsigned(&at);
    entry->program = at + augmentation;
    return 1;
}

/* In the C library since 2.35; takes no lock. */
struct dl_find_object;
extern int _dl_find_object(void *, struct dl_find_object *) __attribute__((weak));

struct search {
    uint64_t pc;
    const uint8_t *header;
};

static int visit(struct dl_phdr_info *info, size_t size, void *argument) {
    (void)size;
    struct search *wanted = argument;
    const uint8_t *header = NULL;
    int inside = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t begin = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && wanted->pc - begin < segment->p_memsz) inside = 1;
        if (segment->p_type == PT_GNU_EH_FRAME) header = (const uint8_t *)(uintptr_t)begin;
    }
    if (inside) wanted->header = header;
    return inside;
}

static const uint8_t *header_of(uint64_t pc) {
    if (_dl_find_object) {
        struct { /* struct dl_find_object */
            unsigned long long flags;
            void *begin, *end, *map, *eh_frame;
            unsigned long long reserved[7];
        } found;
        if (_dl_find_object((void *)(uintptr_t)pc, (struct dl_find_object *)(void *)&found))
            return NULL;
        return found.eh_frame;
    }
    struct search wanted = {pc, NULL};
    dl_iterate_phdr(visit, &wanted);
    return wanted.header;
}

/* ---- running the programs ---- */

enum { UNCHANGED, AT_OFFSET, LOST };

struct row {
    uint64_t frame_register;
    int64_t frame_offset;
    int pointer;            /* UNCHANGED, AT_OFFSET or LOST */
    int64_t pointer_offset; /* from the frame address */
    int ended;              /* there is no caller, or the rule is an expression */
};

#define SAVED_ROWS 8u

struct machine {
    const struct entry *entry;
    struct row row, initial, saved[SAVED_ROWS];
    unsigned saved_count;
    uint64_t at; /* address that the row is for */
};

static void set_register(struct machine *machine, uint64_t number, int how, int64_t offset) {
    if (number == FRAME_POINTER) {
        machine->row.pointer = how;
        machine->row.pointer_offset = offset;
    }
    if (number == RETURN_ADDRESS && how != AT_OFFSET) machine->row.ended = 1;
}

static void restore_register(struct machine *machine, uint64_t number) {
    if (number != FRAME_POINTER) return;
    machine->row.pointer = machine->initial.pointer;
    machine->row.pointer_offset = machine->initial.pointer_offset;
}

static void skip_block(const uint8_t **at) {
    uint64_t size = read_unsigned(at);
    *at += size;
}

/* One instruction of the extended kind. 0 if it is not known. */
static int step_extended(struct machine *machine, uint8_t code, const uint8_t **at) {
    const struct entry *entry = machine->entry;
    struct row *row = &machine->row;
    uint64_t number;
    switch (code) {
    case 0x00: /* nop */ return 1;
    case 0x01: /* set_loc */ machine->at = read_pointer(at, entry->encoding, 0); return 1;
    case 0x02: /* advance_loc1, 2, 4 */
        machine->at += read_fixed(at, 1) * entry->code_factor;
        return 1;
    case 0x03: machine->at += read_fixed(at, 2) * entry->code_factor; return 1;
    case 0x04: machine->at += read_fixed(at, 4) * entry->code_factor; return 1;
    case 0x05: /* offset_extended */
        number = read_unsigned(at);
        set_register(machine, number, AT_OFFSET, (int64_t)read_unsigned(at) * entry->data_factor);
        return 1;
    case 0x11: /* offset_extended_sf */
        number = read_unsigned(at);
        set_register(machine, number, AT_OFFSET, read_signed(at) * entry->data_factor);
        return 1;
    case 0x06: /* restore_extended */ restore_register(machine, read_unsigned(at)); return 1;
    case 0x07: /* undefined */ set_register(machine, read_unsigned(at), LOST, 0); return 1;
    case 0x08: /* same_value */ set_register(machine, read_unsigned(at), UNCHANGED, 0); return 1;
    case 0x09: /* register */
        set_register(machine, read_unsigned(at), LOST, 0);
        read_unsigned(at);
        return 1;
    case 0x0a: /* remember_state */
        if (machine->saved_count == SAVED_ROWS) return 0;
        machine->saved[machine->saved_count++] = *row;
        return 1;
    case 0x0b: /* restore_state */
        if (!machine->saved_count) return 0;
        *row = machine->saved[--machine->saved_count];
        return 1;
    case 0x0c: /* def_cfa */
        row->frame_register = read_unsigned(at);
        row->frame_offset = (int64_t)read_unsigned(at);
        return 1;
    case 0x0d: /* def_cfa_register */ row->frame_register = read_unsigned(at); return 1;
    case 0x0e: /* def_cfa_offset */ row->frame_offset = (int64_t)read_unsigned(at); return 1;
    case 0x0f: /* def_cfa_expression: the stubs of lazy binding, realigned stacks */
        skip_block(at);
        row->frame_register = UINT64_MAX;
        return 1;
    case 0x10: /* expression, val_expression */
    case 0x16:
        set_register(machine, read_unsigned(at), LOST, 0);
        skip_block(at);
        return 1;
    case 0x2e: /* GNU_args_size */ read_unsigned(at); return 1;
    default: return 0;
    }
}

/* Runs until the row for `pc` stands. 0 if an instruction is not known. */
static int run(struct machine *machine, const uint8_t *at, const uint8_t *end, uint64_t pc) {
    while (at < end) {
        uint8_t code = *at++, operand = code & 0x3f;
        const struct entry *entry = machine->entry;
        struct row before = machine->row;
        if (code >> 6 == 1) /* advance_loc */
            machine->at += operand * entry->code_factor;
        else if (code >> 6 == 2) /* offset */
            set_register(machine, operand, AT_OFFSET,
                         (int64_t)read_unsigned(&at) * entry->data_factor);
        else if (code >> 6 == 3) /* restore */
            restore_register(machine, operand);
        else if (!step_extended(machine, code, &at))
            return 0;
        if (machine->at > pc) {
            machine->row = before;
            return 1;
        }
    }
    return 1;
}

/* ---- rules ---- */

#define WORD 8
#define STANDARD_FRAME 16 /* frame address of a frame pointer: behind it and the return address */

static cfi_rule pack(const struct row *row) {
    if (row->ended) return CFI_END;
    if (row->frame_register == FRAME_POINTER && row->frame_offset == STANDARD_FRAME)
        return CFI_POINTER;
    if (row->frame_register != STACK_POINTER || row->pointer == LOST) return CFI_END;
    int64_t saved = row->pointer == AT_OFFSET ? -row->pointer_offset : 0;
    if (row->frame_offset < WORD || row->frame_offset / WORD >= (int64_t)CFI_SIGNAL) return CFI_END;
    if (saved < 0 || saved / WORD > 255 || row->frame_offset % WORD || saved % WORD) return CFI_END;
    return (cfi_rule)(row->frame_offset / WORD) | (cfi_rule)(saved / WORD) << 9;
}

/* What a handler returns to if it was called by the kernel: rt_sigreturn. */
static const uint8_t signal_return[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

static cfi_rule signal_rule(uint64_t pc) {
    int known = wh_same_bytes(pc + 1, (uintptr_t)signal_return, sizeof signal_return);
    return known ? CFI_SIGNAL : CFI_POINTER;
}

cfi_rule cfi_exact(uint64_t pc) {
    const uint8_t *header = header_of(pc);
    const uint8_t *at = header ? search(header, pc) : NULL;
    struct entry entry;
    if (!at || !read_entry(at, pc, &entry)) return CFI_POINTER;
    if (entry.of_signal) return signal_rule(pc);
    struct machine machine;
    wh_fill(&machine, 0, sizeof machine);
    machine.entry = &entry;
    machine.at = 0;
    if (!run(&machine, entry.first, entry.first_end, UINT64_MAX)) return CFI_END;
    machine.initial = machine.row;
    machine.at = entry.begin;
    if (!run(&machine, entry.program, entry.end, pc)) return CFI_END;
    return pack(&machine.row);
}

/* Entries are whole words: a reader sees an old or a new one. An entry that
 * loses its place to another moves next door, so that two program counters of
 * one hot stack do not drive each other out. */
cfi_rule cfi_learn(uint64_t pc) {
    volatile uint64_t *first = cfi_entry(pc), *second = &cfi_table[(first - cfi_table) ^ 1];
    uint64_t neighbour = *second;
    if (neighbour >> 17 == pc) return (cfi_rule)(neighbour & 0x1ffff);
    cfi_rule rule = cfi_exact(pc - 1);
    if (pc < 1ull << 47) {
        *second = *first;
        *first = pc << 17 | rule;
    }
    return rule;
}

void cfi_forget(void) {
    for (unsigned i = 0; i < CFI_TABLE_SIZE; i++) cfi_table[i] = 0;
}
