/* The border to generated code that follows labels of domains (whence.abi.labels).
 *
 * Generated code looks at the table of chunks alone, and calls these only where an address has a
 * chunk, or a value a label. There is a plane only while a rule names a label. */
#ifndef WHENCE_LABELS_H
#define WHENCE_LABELS_H

#include <stdint.h>
#include "whence_abi.h"

/* What calls pass: generated code reads and writes it. */
struct labels_passed {
    struct whence_labels_passed passed;
    uint64_t arguments[WHENCE_LABELS_MOST_ARGUMENTS];
};
extern __thread struct labels_passed __whence_labels;

/* The labels of bytes together. */
uint64_t __whence_labels_load(uint64_t at, uint64_t size);
/* Bytes hold a value with these labels, maybe none; lose some; are about to be copied. */
void __whence_labels_store(uint64_t at, uint64_t size, uint64_t labels);
void __whence_labels_drop(uint64_t at, uint64_t size, uint64_t labels);
void __whence_labels_copy(uint64_t to, uint64_t from, uint64_t size);
/* The arguments of main. */
void __whence_labels_main(char **arguments);

/* A step at a detection point depends on a value with labels. */
void __whence_labelled(uint64_t point, uint64_t value, uint64_t labels);

/* For evaluators: the labels of bytes, of a text, of the texts in a list that ends with NULL. Of
 * memory that is not there: none. */
uint64_t __whence_labels_of_bytes(uint64_t at, uint64_t size);
uint64_t __whence_labels_of_text(uint64_t at);
uint64_t __whence_labels_of_list(uint64_t at);

#endif
