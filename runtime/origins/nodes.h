/* Nodes: the origins of values (whence.abi.origins). Each node exists once: it has a site, flags,
 * the tag of a thread and the number of another node, its parent. They are never removed. */
#ifndef WHENCE_ORIGINS_NODES_H
#define WHENCE_ORIGINS_NODES_H

#include <stddef.h>
#include <stdint.h>
#include "../include/whence/origins.h"
#include "../os/mem.h"
#include "../port/port.h"
#include "whence_abi.h"

struct node {
    struct whence_origin_site *site; /* NULL: only says that the thread is another */
    uint32_t parent;
    uint16_t thread; /* the tag */
    uint16_t flags;  /* WH_NODE_* */
    uint32_t stands; /* for this node: the node itself, or the one that took the place of a longer
                        chain */
    uint32_t loop;   /* the first REPEATED node of the chain, from its birth on; 0: none */
    uint32_t birth;  /* the first node of the chain */
    uint8_t is_arithmetic; /* whether its site is one of arithmetic */
    uint8_t is_moved;      /* whether the chain has hops behind its birth that are not arithmetic */
};

/* How many bytes apart the sites of neighbouring bytes of an input are. */
#define NODE_INPUTS_APART 128u

/* Whether origins are followed. */
extern int origins_on;
#define ORIGINS_ON (PORT_PLANES && WH_UNLIKELY(origins_on))

/* Reserves the nodes and what leads to cells. 0, or -errno with the range. */
long nodes_init(uintptr_t *begin, size_t *size);

/* Node 0 of this thread. */
static inline uint32_t node_own(void) { return (uint32_t)__whence_origins.passed.thread; }

static inline uint32_t node_tag(uint32_t number) { return number >> WH_ORIGIN_NODES_BITS; }

/* This thread, which has a number, makes nodes from now on. */
static inline void node_begin_thread(uint32_t thread) {
    uint32_t tag = thread + 1 < WH_ORIGIN_TAG_INPUT ? thread + 1 : WH_ORIGIN_TAG_LATE;
    __whence_origins.passed.thread = tag << WH_ORIGIN_NODES_BITS;
}

/* The number of a node, of its parent's thread. A site that is in the chain of its parent already
 * is not added again: the node then says that the value came there repeatedly. So a chain has each
 * site once at most. Where a site has made very many nodes by ways through loops, and where few
 * numbers are left, hops are left out, and the node says so (WH_NODE_SKIPPED): the chain then has
 * what leads to its first loop, or its birth, and the site. Without any number the result is the
 * parent, or 0 for a birth, and a note says it. */
uint32_t node_make(struct whence_origin_site *site, uint32_t parent, uint32_t flags);

/* Whether some value has no node because there was no number. */
int nodes_are_full(void);

/* The same without flags, by the nodes that this thread made lately. */
uint32_t node_step(struct whence_origin_site *site, uint32_t parent);

/* The node of this thread for a value that another thread's node describes. */
uint32_t node_cross(struct whence_origin_site *site, uint32_t parent);

/* The texts of a site, also after its module's image was closed. */
const char *site_text(const struct whence_origin_site *site);
const char *site_scope(const struct whence_origin_site *site);

/* The name in the text of a site, behind which there may be more. */
const char *site_name(const struct whence_origin_site *site);

/* NULL for node 0. */
const struct node *node_at(uint32_t number);

/* Whether the chain begins with the address of a literal. */
int node_is_literal(uint32_t number);

/* The first node of a chain, from the newest one on, that is not of arithmetic; 0: all are. */
uint32_t node_before_arithmetic(uint32_t number);

#endif
