/* A bank that forgets to free the entry of a transfer it refuses.
 *
 * No pointer is lost for long and no leak checker that looks at the end of the
 * program says where the growth comes from: the rule in
 * leak_in_transaction.rules is evaluated each time `transaction` returns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char note[24];
    long cents;
};

struct account {
    const char *owner;
    long cents;
    struct entry *last_refused;
};

static struct entry *entry_create(const char *note, long cents) {
    struct entry *entry = malloc(sizeof *entry);
    if (!entry) abort();
    snprintf(entry->note, sizeof entry->note, "%s", note);
    entry->cents = cents;
    return entry;
}

__attribute__((noinline)) int transaction(struct account *from, struct account *to, long cents) {
    struct entry *entry = entry_create("transfer", cents);
    if (from->cents < cents) {
        from->last_refused = entry; /* kept "for the statement", and never freed */
        return -1;
    }
    from->cents -= cents;
    to->cents += cents;
    free(entry);
    return 0;
}

int main(void) {
    struct account ada = {"Ada", 1000, NULL}, bob = {"Bob", 200, NULL};
    int refused = 0;
    refused += transaction(&ada, &bob, 300) != 0;
    refused += transaction(&bob, &ada, 9000) != 0;
    refused += transaction(&bob, &ada, 100) != 0;
    printf("%s %ld, %s %ld, refused %d\n", ada.owner, ada.cents, bob.owner, bob.cents, refused);
    return 0;
}
