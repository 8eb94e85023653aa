#include "arrays.h"
#include "decisions.h"
#include "expressions.h"
#include "memory.h"
#include "../os/mem.h"
#include "../os/os.h"

#define ARRAYS 64u
_Static_assert(WH_SYMBOLIC_EXPRESSIONS_MOST + ARRAYS * ARRAYS_ELEMENTS <=
                   1u << (32 - WH_SYMBOLIC_CELL_PART_BITS),
               "a word has room for the numbers of elements");

static struct array arrays[ARRAYS];
static WH_WRITTEN uint32_t used, next;

/* One thread at a time changes arrays, or makes what their elements hold. A signal handler that
 * interrupts it stores nothing that stays symbolic; what it reads is consistent. */
static WH_WRITTEN struct os_lock lock;
static __thread int holds;

static int hold(void) {
    if (holds) return 0;
    holds = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    os_lock(&lock);
    return 1;
}

static void release(void) {
    os_unlock(&lock);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    holds = 0;
}

/* ---- elements ---- */

static uint32_t number_of(const struct array *array, uint32_t i) {
    return WH_SYMBOLIC_EXPRESSIONS_MOST + (uint32_t)(array - arrays) * ARRAYS_ELEMENTS + i;
}

static uintptr_t address_of(const struct array *array, uint32_t i) {
    return array->elements.first + i * array->elements.size;
}

static unsigned width_of(const struct array *array) { return 8 * (unsigned)array->elements.size; }

static uint64_t word_at(const void *at, uint64_t size) {
    uint64_t value = 0;
    wh_copy_short(&value, at, size);
    return value;
}

/* What an element whose expression is `before` holds after a store, read at `address`. */
static uint32_t after(const struct array_store *store, uint32_t address, uint32_t before) {
    if (!store->address) return before;
    if (!expression_varies(store->address) && !expression_varies(address))
        return store->address == address ? store->value : before;
    uint32_t same = expression_make(WH_OP_EQ, 1, store->address, address, 0, 0);
    if (!same || !before) return 0;
    if (!expression_varies(same)) return expression_at(same)->value ? store->value : before;
    unsigned width = expression_at(before)->width;
    return expression_make(WH_OP_ITE, width, same, store->value, before, 0);
}

/* The expression of an element, a constant if it is concrete; 0 if none can be made. */
static uint32_t expression_of(struct array *array, uint32_t i) {
    struct array_element *of = &array->of[i];
    uint32_t number = of->after, here = 0;
    if (!number)
        number =
            expression_constant(width_of(array), word_at(array->before + i * array->elements.size,
                                                         array->elements.size));
    if (of->counted < array->store_count) here = expression_constant(64, address_of(array, i));
    for (uint32_t j = of->counted; number && j < array->store_count; j++)
        number = here ? after(&array->stores[j], here, number) : 0;
    if (!number) return 0;
    of->after = number;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* to count stores twice does not matter */
    of->counted = array->store_count;
    return number;
}

/* Where there is no room for more expressions, the array's are bound. */
static void bind(const struct array *array) {
    for (uint32_t j = 0; j < array->store_count; j++) {
        decision_bind(array->stores[j].address, WH_REASON_LIMIT, array->stores[j].pc);
        decision_bind(array->stores[j].value, WH_REASON_LIMIT, array->stores[j].pc);
    }
}

static uint32_t expression_or_bound(struct array *array, uint32_t i) {
    uint32_t number = expression_of(array, i);
    if (!number) bind(array);
    return expression_varies(number) ? number : 0;
}

uint32_t arrays_element(uint32_t number) {
    uint32_t place = number - WH_SYMBOLIC_EXPRESSIONS_MOST;
    int held = hold();
    uint32_t expression =
        expression_or_bound(&arrays[place / ARRAYS_ELEMENTS], place % ARRAYS_ELEMENTS);
    if (held) release();
    return expression;
}

/* ---- arrays ---- */

static struct array *find(const struct elements *elements) {
    for (uint32_t i = 0; i < used; i++) {
        const struct elements *each = &arrays[i].elements;
        if (each->first == elements->first && each->count == elements->count &&
            each->size == elements->size)
            return &arrays[i];
    }
    return NULL;
}

/* How many bytes of an element have their words from the array. */
static unsigned marked(const struct array *array, uint32_t i) {
    return memory_marked(address_of(array, i), (unsigned)array->elements.size, number_of(array, i));
}

/* Its elements have their expressions as other memory has. */
static void forget(struct array *array) {
    for (uint32_t i = 0; i < array->elements.count; i++)
        if (marked(array, i))
            memory_unmark(address_of(array, i), (unsigned)array->elements.size, number_of(array, i),
                          expression_or_bound(array, i));
    array->elements.count = array->store_count = 0;
}

static struct array *unused(void) {
    for (uint32_t i = 0; i < used; i++)
        if (!arrays[i].elements.count) return &arrays[i];
    if (used < ARRAYS) return &arrays[used++];
    struct array *array = &arrays[next++ % ARRAYS];
    forget(array);
    return array;
}

/* The expression of an element as memory has it, a constant if it is concrete. */
static uint32_t held_by_memory(const struct array *array, uint32_t i) {
    unsigned size = (unsigned)array->elements.size;
    uint64_t value = word_at((const void *)address_of(array, i), size);
    uint32_t number = memory_load(address_of(array, i), size, value);
    return number ? number : expression_constant(8 * size, value);
}

static void mark(struct array *array, uint32_t i) {
    memory_mark(address_of(array, i), (unsigned)array->elements.size, number_of(array, i));
}

/* From the elements as they are. 0 if they cannot be told. */
static struct array *begin(const struct elements *elements) {
    struct array *array = unused();
    array->elements = *elements;
    for (uint32_t i = 0; i < elements->count; i++) {
        uint32_t number = held_by_memory(array, i);
        if (!number) {
            array->elements.count = 0;
            return NULL;
        }
        number = expression_varies(number) ? number : 0;
        array->of[i] = (struct array_element){number, number, 0};
    }
    wh_copy(array->before, (const void *)elements->first, elements->count * elements->size);
    wh_copy(array->now, array->before, elements->count * elements->size);
    for (uint32_t i = 0; i < elements->count; i++) mark(array, i);
    return array;
}

/* ---- stores ---- */

/* Whether an element holds what the array says. */
static int is_current(const struct array *array, uint32_t i) {
    uint64_t size = array->elements.size;
    const void *at = (const void *)address_of(array, i);
    return marked(array, i) == size && word_at(at, size) == word_at(array->now + i * size, size);
}

static void add(struct array *array, uint32_t i, struct array_store store) {
    uint64_t size = array->elements.size, value = expression_at(store.value)->value;
    array->stores[array->store_count] = store;
    wh_copy_short(array->now + i * size, &value, size);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    uint32_t before = array->store_count++;
    for (uint32_t j = 0; j < before; j++)
        if (array->stores[j].address == store.address) array->stores[j].address = 0;
}

/* Code has written to an element: that is one more store. */
static int add_change(struct array *array, uint32_t i, uint64_t pc) {
    uint32_t address = expression_constant(64, address_of(array, i));
    uint32_t value = address ? held_by_memory(array, i) : 0;
    if (!value) return 0;
    add(array, i, (struct array_store){address, value, pc});
    mark(array, i);
    return 1;
}

/* The array of these elements with all that code has written to them, and room for so many more
 * stores; none if there is no such array, or it is better to begin anew. Its list is never longer
 * than it has elements, so that a load through a symbolic address costs no more than a choice among
 * these. */
static struct array *current(const struct elements *elements, uint32_t more, uint64_t pc) {
    struct array *array = find(elements);
    uint32_t changed[ARRAYS_ELEMENTS], count = 0;
    if (!array) return NULL;
    for (uint32_t i = 0; i < elements->count; i++)
        if (!is_current(array, i)) changed[count++] = i;
    int has_room = count < elements->count && array->store_count + count + more <= elements->count;
    for (uint32_t i = 0; has_room && i < count; i++) has_room = add_change(array, changed[i], pc);
    if (has_room) return array;
    forget(array);
    return NULL;
}

static int store_into(const struct elements *elements, const struct reach *reach, uint32_t stored) {
    struct array *array = current(elements, 1, reach->pc);
    if (!array) array = begin(elements);
    if (!array) return 0;
    add(array, (uint32_t)((reach->at - elements->first) / elements->size),
        (struct array_store){reach->address, stored, reach->pc});
    return 1;
}

int arrays_store(const struct elements *elements, const struct reach *reach, uint32_t stored) {
    if (!hold()) return 0;
    int done = store_into(elements, reach, stored);
    release();
    return done;
}

/* ---- loads ---- */

/* A store at the same address is the last one that counts. */
static uint32_t load_from(const struct array *array, const struct reach *reach,
                          arrays_before *before) {
    uint32_t from = array->store_count;
    while (from && array->stores[from - 1].address != reach->address) from--;
    uint32_t number = from ? array->stores[from - 1].value : before(array, reach);
    for (uint32_t j = from; number && j < array->store_count; j++)
        number = after(&array->stores[j], reach->address, number);
    return number;
}

uint32_t arrays_load(const struct elements *elements, const struct reach *reach,
                     arrays_before *before) {
    if (!hold()) return 0;
    const struct array *array = current(elements, 0, reach->pc);
    uint32_t number = array ? load_from(array, reach, before) : 0;
    release();
    return number;
}
