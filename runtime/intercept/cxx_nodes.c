/* The nodes of std::map, std::set and std::list. Their templates are instrumented with the
 * program, but what links nodes and steps from one to the next is compiled into libstdc++:
 * a step from an element that is erased is seen here, and nowhere else.
 *
 * What is checked is the nodes that the program names; those that are reached from them
 * are as good as these are.
 */
#include <stdarg.h>
#include "check.h"
#include "../replace/cxx.h"

struct list_node {
    struct list_node *next, *previous;
};

struct tree_node {
    int colour;
    struct tree_node *parent, *left, *right;
};

#define AT(title) ((struct site){title, FRAME_HERE})

static void check_node(struct site site, const void *node, size_t size) {
    check_range(site, node, size, 0, node);
}

/* ---- std::map and std::set: a step to a neighbour ---- */

#define STEP(name, title, first)                                                                   \
    WRAP(struct tree_node *, name, (struct tree_node * node)) {                                    \
        check_range(AT(title), &node->first, sizeof node->first, 0, node);                         \
        return CXX_FUNCTION(struct tree_node *, name, (struct tree_node *))(node);                 \
    }

STEP(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base, "std::_Rb_tree_increment", right)
STEP(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base, "std::_Rb_tree_increment", right)
STEP(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base, "std::_Rb_tree_decrement", colour)
STEP(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base, "std::_Rb_tree_decrement", colour)

/* ---- the same: an element comes and goes ---- */

WRAP(void, _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_,
     (_Bool left, struct tree_node *node, struct tree_node *parent, struct tree_node *header)) {
    struct site site = AT("std::_Rb_tree_insert_and_rebalance");
    check_node(site, parent, sizeof *parent);
    check_node(site, header, sizeof *header);
    CXX_FUNCTION(void, _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_,
                 (_Bool, struct tree_node *, struct tree_node *, struct tree_node *))
    (left, node, parent, header);
}

WRAP(struct tree_node *, _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_,
     (struct tree_node * node, struct tree_node *header)) {
    struct site site = AT("std::_Rb_tree_rebalance_for_erase");
    check_node(site, node, sizeof *node);
    check_node(site, header, sizeof *header);
    return CXX_FUNCTION(struct tree_node *,
                        _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_,
                        (struct tree_node *, struct tree_node *))(node, header);
}

/* ---- std::list ---- */

WRAP(void, _ZNSt8__detail15_List_node_base7_M_hookEPS0_,
     (struct list_node * node, struct list_node *position)) {
    check_node(AT("std::list::insert"), position, sizeof *position);
    CXX_FUNCTION(void, _ZNSt8__detail15_List_node_base7_M_hookEPS0_,
                 (struct list_node *, struct list_node *))(node, position);
}

WRAP(void, _ZNSt8__detail15_List_node_base9_M_unhookEv, (struct list_node * node)) {
    check_node(AT("std::list::erase"), node, sizeof *node);
    CXX_FUNCTION(void, _ZNSt8__detail15_List_node_base9_M_unhookEv, (struct list_node *))(node);
}

WRAP(void, _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_,
     (struct list_node * position, struct list_node *first, struct list_node *last)) {
    struct site site = AT("std::list::splice");
    if (position != last) {
        check_node(site, position, sizeof *position);
        check_node(site, first, sizeof *first);
        check_node(site, last, sizeof *last);
    }
    CXX_FUNCTION(void, _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_,
                 (struct list_node *, struct list_node *, struct list_node *))
    (position, first, last);
}
