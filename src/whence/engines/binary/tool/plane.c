/* The planes of undefined bits and of their origins, and what the core does to memory.
 *
 * Copyright (C) the authors of whence.
 *
 * This program is free software; you can redistribute it and/or modify it under the terms of the
 * GNU General Public License as published by the Free Software Foundation; either version 2 of the
 * License, or (at your option) any later version. It is a program of its own, linked with
 * Valgrind's core and no part of whence's library; the file LICENSE beside it says more.
 *
 * Of each byte of memory the plane of values has a byte with its undefined bits, 0 where the plane
 * was never written. Of eight bytes the other plane has the tag of their origin, which means
 * nothing where all are defined. Both lie where an exclusive or puts them: the program's memory is
 * at the begin of the address space, and whence's heap far behind it.
 */
#include "tool.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_stacktrace.h"

Bool values_on;

/* Other memory is the runtime's or nobody's. */
Bool is_followed(Addr address, SizeT size) {
    Addr end = address + size;
    if (end < address) return False;
    return end <= WHENCE_VALUES_LOW || (address >= WHENCE_VALUES_BEGIN && end <= WHENCE_VALUES_END);
}

/* ---- ranges ---- */

#define DROPPED (1u << 18)
#define PAGE ((Addr)4096)

static void drop_pages(Addr begin, Addr end) {
    register UWord number __asm__("rax") = 28; /* madvise */
    register UWord advice __asm__("rdx") = 4;  /* MADV_DONTNEED */
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(begin), "S"(end - begin), "d"(advice)
                     : "rcx", "r11", "memory");
}

void clear(Addr begin, SizeT size) {
    Addr end = begin + size;
    if (size < DROPPED) {
        VG_(memset)((void *)begin, 0, size);
        return;
    }
    Addr first = (begin + PAGE - 1) & ~(PAGE - 1), last = end & ~(PAGE - 1);
    VG_(memset)((void *)begin, 0, first - begin);
    drop_pages(first, last);
    VG_(memset)((void *)last, 0, end - last);
}

void define_bits(Addr address, SizeT size) {
    if (values_on && size && is_followed(address, size)) clear(VALUES_OF(address), size);
}

void define(Addr address, SizeT size) {
    define_bits(address, size);
    if (values_on && size) forget_writers(address, size);
}

static void set_tags(Addr address, SizeT size, UInt tag) {
    volatile UInt *to = (volatile UInt *)TAG_OF(address),
                  *end = (volatile UInt *)TAG_OF(address + size - 1);
    for (; to <= end; to++) *to = tag;
}

void undefine(Addr address, SizeT size, UInt tag) {
    if (!values_on || !size || !is_followed(address, size)) return;
    VG_(memset)((void *)VALUES_OF(address), 0xff, size);
    set_tags(address, size, tag);
}

void undefine_block(Addr address, SizeT size, UInt tag) {
    undefine(address, size, tag);
    if (values_on && size) forget_writers(address, size);
}

/* What is further apart are two stacks. */
#define FRAME_MOST (16u << 20)

void undefine_stack(Addr low, Addr high, UInt tag) {
    if (low < high && high - low <= FRAME_MOST) undefine(low, high - low, tag);
}

/* ---- tags of places in code ---- */

#define PLACES_MOST (1u << 17)
static Addr *places_of_tags;
static UInt *tags_of_places; /* hashed by the place */
static UInt places_count = 1;

UInt tag_of_place(Addr pc) {
    UInt at = (UInt)(pc * 0x9E3779B97F4A7C15ull >> 43);
    for (;; at++) {
        UInt *found = &tags_of_places[at % (2 * PLACES_MOST)];
        if (*found && places_of_tags[*found] == pc) return WHENCE_TAG_PLACE | *found;
        if (*found) continue;
        if (places_count == PLACES_MOST) return 0;
        places_of_tags[ *found = places_count++] = pc;
        return WHENCE_TAG_PLACE | *found;
    }
}

Addr place_of_tag(UInt tag) {
    UInt at = tag & ~(UInt)WHENCE_TAG_PLACE;
    return tag & WHENCE_TAG_PLACE && at < places_count ? places_of_tags[at] : 0;
}

/* ---- copies that wait ---- */

struct copy {
    struct copy *before;
    Addr to;
    SizeT size;
    UInt *tags;
    UChar *bits;
};
static struct copy **copies; /* by thread */
UInt *later, copies_wait;
static Addr own_begin, own_end; /* the runtime */

/* More is taken for defined. */
#define COPY_MOST (64u << 20)

void copy_later(ThreadId thread, Addr to, Addr from, SizeT size) {
    if (!values_on || !size || size > COPY_MOST || !is_followed(to, size) ||
        !is_followed(from, size))
        return;
    struct copy *copy = VG_(malloc)("whence.copy", sizeof *copy);
    SizeT tags = (size + 14) / GRANULE + 1;
    *copy = (struct copy){copies[thread], to, size, VG_(malloc)("whence.copy", tags * sizeof(UInt)),
                          VG_(malloc)("whence.copy", size)};
    VG_(memcpy)(copy->bits, (void *)VALUES_OF(from), size);
    for (SizeT i = 0; i * GRANULE < size; i++) copy->tags[i] = *(UInt *)TAG_OF(from + i * GRANULE);
    copies[thread] = copy;
    later[thread]++;
    copies_wait++;
}

static void apply(struct copy *copy) {
    if (!copy) return;
    apply(copy->before);
    VG_(memcpy)((void *)VALUES_OF(copy->to), copy->bits, copy->size);
    for (SizeT i = 0; i < copy->size; i++)
        if (copy->bits[i]) *(UInt *)TAG_OF(copy->to + i) = copy->tags[i / GRANULE];
    VG_(free)(copy->bits);
    VG_(free)(copy->tags);
    VG_(free)(copy);
}

Bool is_own(Addr pc) { return pc - own_begin < own_end - own_begin; }

void apply_copies(ThreadId thread) {
    struct copy *last = copies[thread];
    copies[thread] = NULL;
    copies_wait -= later[thread];
    later[thread] = 0;
    apply(last);
}

/* ---- what the core does ---- */

static void settle_registers(ThreadId thread, PtrdiffT offset, SizeT size) {
    UChar none[64];
    VG_(memset)(none, 0, sizeof none);
    for (; size;) {
        SizeT part = size < sizeof none ? size : sizeof none;
        VG_(set_shadow_regs_area)(thread, 1, offset, part, none);
        offset += (PtrdiffT)part;
        size -= part;
    }
}

static void core_wrote(CorePart part, ThreadId thread, Addr address, SizeT size) {
    (void)part, (void)thread;
    define(address, size);
}
static void core_wrote_register(CorePart part, ThreadId thread, PtrdiffT offset, SizeT size) {
    (void)part;
    if (values_on) settle_registers(thread, offset, size);
}
static void core_returned(ThreadId thread, PtrdiffT offset, SizeT size, Addr function) {
    (void)function;
    if (values_on) settle_registers(thread, offset, size);
}
static void memory_came(Addr address, SizeT size, Bool r, Bool w, Bool x, ULong handle) {
    (void)r, (void)w, (void)x, (void)handle;
    define(address, size);
}
static void heap_came(Addr address, SizeT size, ThreadId thread) {
    (void)thread;
    define(address, size);
}
static void memory_moved(Addr from, Addr to, SizeT size) {
    (void)from;
    define(to, size);
}
static void frame_came(Addr address, SizeT size, ThreadId thread) {
    (void)thread;
    define(address, size);
}

void values_callbacks(void) {
    VG_(track_post_mem_write)(core_wrote);
    VG_(track_post_reg_write)(core_wrote_register);
    VG_(track_post_reg_write_clientcall_return)(core_returned);
    VG_(track_new_mem_mmap)(memory_came);
    VG_(track_new_mem_brk)(heap_came);
    VG_(track_copy_mem_remap)(memory_moved);
    VG_(track_new_mem_stack_signal)(frame_came);
}

void values_begin(ThreadId thread, Addr begin, Addr end) {
    (void)thread;
    if (values_on) return;
    own_begin = begin, own_end = end;
    places_of_tags = VG_(calloc)("whence.places", PLACES_MOST, sizeof *places_of_tags);
    tags_of_places = VG_(calloc)("whence.places", 2 * PLACES_MOST, sizeof *tags_of_places);
    copies = VG_(calloc)("whence.copies", VG_N_THREADS, sizeof *copies);
    later = VG_(calloc)("whence.copies", VG_N_THREADS, sizeof *later);
    values_on = True;
}
