/* Memory for the books of a space: pieces of a few sizes, from mappings of its own.
 *
 * Pieces of up to BOOK_PIECE_MOST bytes come from chunks and free lists; larger
 * ones (long quarantines) are mappings. A caller that cannot stop half-way
 * reserves its pieces with books_reserve: then the next so many
 * books_new of that size succeed. The space is locked.
 */
#ifndef WHENCE_ALLOC_KD_BOOKS_H
#define WHENCE_ALLOC_KD_BOOKS_H

#include <stddef.h>
#include <stdint.h>

#define BOOK_UNIT 16u
#define BOOK_PIECE_MOST 8192u
#define BOOK_SIZES (BOOK_PIECE_MOST / BOOK_UNIT + 1)

struct book_piece {
    struct book_piece *next;
};

struct book_chunk {
    struct book_chunk *next;
    size_t size;
};

/* Zero-initialised is valid and empty. */
struct books {
    struct book_piece *free[BOOK_SIZES];
    uint32_t free_count[BOOK_SIZES];
    struct book_chunk *chunks;
    uintptr_t fresh, fresh_end; /* the rest of the last chunk */
    uint64_t mapped;            /* bytes */
};

/* A piece with undefined contents; NULL if the system has no memory. */
void *books_new(struct books *books, size_t size);
void books_drop(struct books *books, void *piece, size_t size);
/* 1 if `count` pieces of at most BOOK_PIECE_MOST bytes are ready. */
int books_reserve(struct books *books, size_t size, uint32_t count);
/* Unmaps every chunk; larger pieces must have been dropped. */
void books_close(struct books *books);

#endif
