#include "books.h"
#include "../../os/invariant.h"
#include "../../os/mem.h"
#include "../../os/os.h"

#define CHUNK_LEAST (64ull << 10)
#define CHUNK_MOST (4ull << 20)

static size_t rounded(size_t size) { return wh_round_up(size, BOOK_UNIT); }

static struct book_piece **list(struct books *books, size_t size) {
    return &books->free[rounded(size) / BOOK_UNIT];
}

/* Chunks grow with the books, an eighth of what there is. */
static int add_chunk(struct books *books) {
    size_t size = wh_round_up(books->mapped / 8, CHUNK_LEAST);
    if (size < CHUNK_LEAST) size = CHUNK_LEAST;
    if (size > CHUNK_MOST) size = CHUNK_MOST;
    struct book_chunk *chunk = (struct book_chunk *)os_map(size);
    if (!chunk) return 0;
    *chunk = (struct book_chunk){books->chunks, size};
    books->chunks = chunk;
    books->mapped += size;
    books->fresh = (uintptr_t)chunk + rounded(sizeof *chunk);
    books->fresh_end = (uintptr_t)chunk + size;
    return 1;
}

static void *cut(struct books *books, size_t size) {
    if (books->fresh_end - books->fresh < size && !add_chunk(books)) return NULL;
    void *piece = (void *)books->fresh;
    books->fresh += size;
    return piece;
}

void *books_new(struct books *books, size_t size) {
    if (size > BOOK_PIECE_MOST) {
        void *piece = (void *)os_map(wh_round_up(size, OS_PAGE));
        if (piece) books->mapped += wh_round_up(size, OS_PAGE);
        return piece;
    }
    struct book_piece **first = list(books, size), *piece = *first;
    if (!piece) return cut(books, rounded(size));
    WH_INVARIANT(books->free_count[rounded(size) / BOOK_UNIT]);
    *first = piece->next;
    books->free_count[rounded(size) / BOOK_UNIT]--;
    return piece;
}

void books_drop(struct books *books, void *piece, size_t size) {
    if (size > BOOK_PIECE_MOST) {
        os_unmap((uintptr_t)piece, wh_round_up(size, OS_PAGE));
        books->mapped -= wh_round_up(size, OS_PAGE);
        return;
    }
    struct book_piece **first = list(books, size), *freed = piece;
    WH_INVARIANT(freed != *first);
    freed->next = *first;
    *first = freed;
    books->free_count[rounded(size) / BOOK_UNIT]++;
}

int books_reserve(struct books *books, size_t size, uint32_t count) {
    while (books->free_count[rounded(size) / BOOK_UNIT] < count) {
        void *piece = cut(books, rounded(size));
        if (!piece) return 0;
        books_drop(books, piece, size);
    }
    return 1;
}

void books_close(struct books *books) {
    for (struct book_chunk *chunk = books->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        os_unmap((uintptr_t)chunk, chunk->size);
    }
    *books = (struct books){0};
}
