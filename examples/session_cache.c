/* A small server's session cache: a hash table whose entries also form a list
 * in order of use, so that the least recently used session can be evicted.
 *
 * It replays a log of requests. One of them logs out a session that another
 * connection still refers to, and that connection speaks again: the pointer it
 * kept leads to a block that has been freed. Run it with
 *
 *     whence cc -g session_cache.c -o session_cache && whence run ./session_cache
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 16, CAPACITY = 6, CONNECTIONS = 4, NAME_MAX_LENGTH = 31 };

struct session {
    char user[NAME_MAX_LENGTH + 1];
    uint64_t id;
    unsigned requests;
    unsigned flags;
    struct session *chain;          /* next in the bucket */
    struct session *newer, *older;  /* order of use */
};

struct cache {
    struct session *bucket[BUCKETS];
    struct session *newest, *oldest;
    unsigned count;
    uint64_t last_id;
};

struct connection {
    int number;
    struct session *session;  /* borrowed from the cache */
};

static uint32_t hash_name(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char) *name) * 16777619u;
    return hash;
}

/* ---- sessions ---- */

static struct session *session_create(struct cache *cache, const char *user)
{
    struct session *session = calloc(1, sizeof *session);
    if (!session) {
        perror("session_create");
        exit(1);
    }
    strncpy(session->user, user, NAME_MAX_LENGTH);
    session->id = ++cache->last_id;
    return session;
}

static void session_destroy(struct session *session)
{
    free(session);
}

/* ---- the list in order of use ---- */

static void list_unlink(struct cache *cache, struct session *session)
{
    if (session->newer)
        session->newer->older = session->older;
    else
        cache->newest = session->older;
    if (session->older)
        session->older->newer = session->newer;
    else
        cache->oldest = session->newer;
    session->newer = session->older = NULL;
}

static void list_push(struct cache *cache, struct session *session)
{
    session->older = cache->newest;
    session->newer = NULL;
    if (cache->newest)
        cache->newest->newer = session;
    else
        cache->oldest = session;
    cache->newest = session;
}

/* ---- the cache ---- */

static struct session **cache_slot(struct cache *cache, const char *user)
{
    struct session **slot = &cache->bucket[hash_name(user) % BUCKETS];
    while (*slot && strcmp((*slot)->user, user) != 0)
        slot = &(*slot)->chain;
    return slot;
}

static void cache_remove(struct cache *cache, const char *user)
{
    struct session **slot = cache_slot(cache, user);
    struct session *session = *slot;
    if (!session)
        return;
    *slot = session->chain;
    list_unlink(cache, session);
    cache->count--;
    session_destroy(session);
}

static struct session *cache_login(struct cache *cache, const char *user)
{
    struct session **slot = cache_slot(cache, user);
    if (!*slot) {
        if (cache->count == CAPACITY) {
            cache_remove(cache, cache->oldest->user);
            slot = cache_slot(cache, user);
        }
        *slot = session_create(cache, user);
        list_push(cache, *slot);
        cache->count++;
    }
    return *slot;
}

/* A request was made in a session: count it and make it the newest. */
static void cache_touch(struct cache *cache, struct session *session)
{
    session->requests++;  /* EXPECT: dangling-pointer-dereference */
    list_unlink(cache, session);
    list_push(cache, session);
}

static void cache_clear(struct cache *cache)
{
    while (cache->newest)
        cache_remove(cache, cache->newest->user);
}

/* ---- requests ---- */

struct request {
    int connection;
    enum { LOGIN, WORK, LOGOUT } kind;
    const char *user;
};

static const struct request requests[] = {
    { 0, LOGIN, "ada" },     { 1, LOGIN, "grace" },  { 0, WORK, NULL },
    { 2, LOGIN, "edsger" },  { 1, WORK, NULL },      { 2, WORK, NULL },
    { 3, LOGIN, "ada" },     { 3, WORK, NULL },      { 0, WORK, NULL },
    { 1, LOGIN, "barbara" }, { 2, LOGIN, "donald" }, { 1, WORK, NULL },
    { 3, LOGOUT, NULL },     /* ends ada's session, which connection 0 still uses */
    { 2, WORK, NULL },       { 0, WORK, NULL },
};

static void serve(struct cache *cache, struct connection *connections, const struct request *request)
{
    struct connection *connection = &connections[request->connection];
    switch (request->kind) {
    case LOGIN:
        connection->session = cache_login(cache, request->user);
        printf("connection %d: %s logs in\n", connection->number, request->user);
        break;
    case WORK:
        if (connection->session)
            cache_touch(cache, connection->session);
        break;
    case LOGOUT:
        if (connection->session)
            cache_remove(cache, connection->session->user);
        connection->session = NULL;
        printf("connection %d logs out\n", connection->number);
        break;
    }
}

int main(void)
{
    static struct cache cache;
    struct connection connections[CONNECTIONS];
    for (int number = 0; number < CONNECTIONS; number++)
        connections[number] = (struct connection) { .number = number };
    for (size_t index = 0; index < sizeof requests / sizeof requests[0]; index++)
        serve(&cache, connections, &requests[index]);
    cache_clear(&cache);
    return 0;
}
