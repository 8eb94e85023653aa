/* Inputs: values that come from outside of the process, and what they were there.
 *
 * What one call has put into memory has one node, of the tag WH_ORIGIN_TAG_INPUT, with a place in
 * the file for its first byte. A part of it that is loaded gets a node of the thread that loads it,
 * with a place of its own. Arguments and the environment are known from the start of the program.
 */
#ifndef WHENCE_ORIGINS_GIVEN_H
#define WHENCE_ORIGINS_GIVEN_H

#include <stddef.h>
#include <stdint.h>
#include "../os/os.h"
#include "../os/text.h"
#include "nodes.h"
#include "sources.h"

/* Reserves the tables. 0, or -errno with the range. */
long given_init(uintptr_t *begin, size_t *size);

/* Keeps the arguments and the environment as they are before the program changes them. */
void given_start(char **arguments, char **environment);

static inline int node_is_input(uint32_t number) { return node_tag(number) == WH_ORIGIN_TAG_INPUT; }

/* Whether a site is of a call of the function. */
int given_is_call(const struct whence_origin_site *site, const char *function);

/* The site of the call of the function of this name that the program is in, once: NULL if other
 * code has called it. */
struct whence_origin_site *given_calling(const char *function);

/* The same, but a call of a pointer counts too: its text names no function. */
struct whence_origin_site *given_parsing(const char *function);

/* The function, called at a site or by other code (NULL), has put these bytes at `to`. */
void given_arrived(const char *function, struct whence_origin_site *call, struct input_bytes bytes,
                   uintptr_t to);

/* The function has mapped a part of a file. */
void given_mapped(const char *function, struct whence_origin_site *call, int file, uint64_t offset,
                  uintptr_t begin, uint64_t size);

/* The node of a value that the function returns, or stores. content: the bytes; NULL: they are not
 * known any more. */
uint32_t given_returned(const char *function, struct whence_origin_site *call,
                        struct input_bytes bytes, const void *content);

/* The node of this thread for a part of an input, whose node is in the cells of an address. */
uint32_t given_part(uint32_t node, uintptr_t address, uint64_t size);

/* The node for a part of an input that a site copies from one address to another. */
uint32_t given_copied(uint32_t node, struct whence_origin_site *site, uintptr_t to, uintptr_t from);

/* The node for all bytes of the inputs that two chains begin with, if they lie side by side; else
 * 0. *far is set where a chain has hops that are not arithmetic. */
uint32_t given_joined(uint32_t one, uint32_t other, int *far);

/* The node of a value of an argument or a variable that is there since the start, of a pointer to
 * one, or of a part of a mapped file; 0: it is none. */
uint32_t given_there(struct whence_origin_site *site, uintptr_t address, uint64_t size,
                     uint64_t value);

/* A site has copied bytes, of which so many are of an argument, a variable or a mapped file. */
uint64_t given_copied_there(struct whence_origin_site *site, uintptr_t to, uintptr_t from,
                            uint64_t size);

/* The node of a pointer to an argument or a variable that a site gets; 0: it is none. */
uint32_t given_pointer(struct whence_origin_site *site, uint64_t value);

/* The line about the input behind the hop of a node with WH_NODE_INPUT (whence.abi.origins). */
void given_describe(const struct whence_origin_site *site, struct text *into);

#endif
