/* dlopen of a library that carries IR opens its instrumented copy.
 *
 * The loader looks at the caller's return address, for search paths and
 * namespaces. So the entry does not call the loader's dlopen, it goes there with
 * another name and the same return address. dladdr gives the file that the
 * program requested, not the copy.
 */
#include "loading.h"
#include "entry.h"
#include "../process/closed.h"
#include "../process/images.h"
#include "../process/maps.h"
#include "../process/thread.h"
#include "../os/os.h"
#include "../stacks/cfi.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>

#define HIDDEN __attribute__((visibility("hidden")))

typedef void *(*open_function)(const char *, int);
typedef int (*close_function)(void *);
typedef int (*address_function)(const void *, Dl_info *);
typedef int (*extra_function)(const void *, Dl_info *, void **, int);

HIDDEN open_function whence_next_dlopen;
static close_function next_dlclose;
static address_function next_dladdr;
static extra_function next_dladdr1;

/* Even a successful dlsym changes what the program gets from dlerror, and what that allocates: the
 * functions are looked up before the program runs. */
__attribute__((constructor)) static void find_functions(void) {
    if (whence_next_dlopen) return;
    next_dlclose = (close_function)(uintptr_t)dlsym(RTLD_NEXT, "dlclose");
    next_dladdr = (address_function)(uintptr_t)dlsym(RTLD_NEXT, "dladdr");
    next_dladdr1 = (extra_function)(uintptr_t)dlsym(RTLD_NEXT, "dladdr1");
    whence_next_dlopen = (open_function)(uintptr_t)dlsym(RTLD_NEXT, "dlopen");
}

void *dlopen_next(const char *path, int flags) {
    find_functions();
    return whence_next_dlopen ? whence_next_dlopen(path, flags) : NULL;
}

/* ---- copies and what they are copies of ---- */

struct copy {
    struct copy *up;
    const char *path, *original;
};

static struct copy *copies;
static struct os_lock copies_lock;

void loading_lock(void) { os_lock(&copies_lock); }

void loading_unlock(void) { os_unlock(&copies_lock); }

int loading_any(void) { return __atomic_load_n(&copies, __ATOMIC_ACQUIRE) != NULL; }

static const char *kept(const char *string) {
    size_t size = wh_length(string) + 1;
    char *to = rt_private(size);
    if (to) wh_copy(to, string, size);
    return to;
}

static const struct copy *find_copy(const char *path) {
    const struct copy *copy = __atomic_load_n(&copies, __ATOMIC_ACQUIRE);
    while (copy && !wh_same(copy->path, path)) copy = copy->up;
    return copy;
}

static const struct copy *add_copy(const char *path, const char *original) {
    os_lock(&copies_lock);
    const struct copy *found = find_copy(path);
    struct copy *fresh = found ? NULL : rt_private(sizeof *fresh);
    if (fresh) {
        *fresh = (struct copy){copies, kept(path), kept(original)};
        if (fresh->path && fresh->original) {
            __atomic_store_n(&copies, fresh, __ATOMIC_RELEASE);
            found = fresh;
        }
    }
    os_unlock(&copies_lock);
    return found;
}

/* ---- dlopen ---- */

/* Loaded already, under this name or as this file: nothing is opened. */
static int is_loaded(const char *name) {
    void *handle = whence_next_dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    return handle && next_dlclose(handle) == 0;
}

static int has_slash(const char *name) {
    while (*name && *name != '/') name++;
    return *name == '/';
}

/* Where the loader would look for a plain name on this caller's behalf. */
static void say_folders(struct service_talk *talk, struct link_map *caller) {
    Dl_serinfo size;
    if (!caller || dlinfo(caller, RTLD_DI_SERINFOSIZE, &size) < 0) return;
    uint64_t room = wh_round_up(size.dls_size, OS_PAGE);
    Dl_serinfo *folders = (Dl_serinfo *)os_map(room);
    if (!folders) return;
    folders->dls_size = size.dls_size;
    folders->dls_cnt = size.dls_cnt;
    if (dlinfo(caller, RTLD_DI_SERINFO, folders) == 0)
        for (unsigned i = 0; i < folders->dls_cnt; i++)
            if (!(folders->dls_serpath[i].dls_flags & LA_SER_DEFAULT))
                service_say(talk, folders->dls_serpath[i].dls_name);
    os_unmap((uintptr_t)folders, room);
}

static struct link_map *map_of(uintptr_t caller) {
    Dl_info info;
    void *map = NULL;
    find_functions();
    if (!next_dladdr1((const void *)caller, &info, &map, RTLD_DL_LINKMAP)) return NULL;
    return map;
}

int loading_ask(struct service_talk *talk, char *room, const char *question, const char *name,
                uintptr_t caller) {
    struct link_map *map = map_of(caller);
    const struct copy *from = map && map->l_name ? find_copy(map->l_name) : NULL;
    service_begin(talk, room, question);
    service_say(talk, name);
    service_say_directory(talk);
    service_say(talk, from ? from->original : map && map->l_name ? map->l_name : "");
    if (!has_slash(name)) say_folders(talk, map); /* which changes the state of dlerror, too */
    return service_ask(talk);
}

/* The instrumented copy to load instead of the library; NULL: the library itself is loaded. */
static const struct copy *request_copy(const char *name, uintptr_t caller, char *room) {
    static int unreadable;
    struct service_talk talk;
    if (!loading_ask(&talk, room, WH_ASK_LOAD, name, caller)) return NULL;
    const char *path = service_next(&talk), *original = service_next(&talk);
    if (!path || !original || is_loaded(original)) return NULL;
    int file = os_open(path, OS_OPEN_READ);
    if (file < 0) {
        rt_note(&unreadable, "an instrumented library cannot be read by the user that the program "
                             "has become: the library runs as it is");
        return NULL;
    }
    os_close(file);
    return add_copy(path, original);
}

static const struct copy *copy_for(const char *name, uintptr_t caller) {
    uintptr_t room = os_map(WH_SERVICE_ROOM);
    const struct copy *copy = room ? request_copy(name, caller, (char *)room) : NULL;
    if (room) os_unmap(room, WH_SERVICE_ROOM);
    return copy;
}

struct opened {
    const char *name;
    uint64_t flags;
};

HIDDEN struct opened whence_dlopen(const char *name, int flags, uintptr_t caller);

/* With RTLD_DEEPBIND a library prefers the C library's malloc to ours, unless it
 * depends on the runtime itself. */
struct opened whence_dlopen(const char *name, int flags, uintptr_t caller) {
    static int deep;
    int saved = errno;
    thread_here();
    find_functions();
    struct opened opened = {name, (uint64_t)flags};
    images_opening();
    const struct copy *copy = NULL;
    if (service_known() && name && *name && (has_slash(name) || !is_loaded(name)))
        copy = copy_for(name, caller);
    if (copy) opened.name = copy->path;
    if (!copy && flags & RTLD_DEEPBIND) {
        opened.flags &= ~(uint64_t)RTLD_DEEPBIND;
        rt_note(&deep, "RTLD_DEEPBIND has no effect on libraries that carry no IR: they would use "
                       "another allocator than the rest of the program");
    }
    errno = saved;
    return opened;
}

FRAMED_ENTRY("dlopen", "    mov 8(%rbp), %rdx\n"
                       "    call whence_dlopen\n"
                       "    mov %rax, %rdi\n"
                       "    mov %rdx, %rsi\n"
                       "    pop %rbp\n"
                       "    .cfi_def_cfa %rsp, 8\n"
                       "    jmp *whence_next_dlopen(%rip)\n");

/* ---- dlclose ---- */

/* The images are recorded before they are unloaded: blocks that they allocated stay. */
WH_EXPORT int dlclose(void *handle) {
    thread_here();
    find_functions();
    int saved = errno;
    images_refresh();
    maps_current();
    closed_begin();
    errno = saved;
    int result = next_dlclose(handle);
    closed_end();
    cfi_forget();
    memo_forget();
    return result;
}

/* ---- dladdr ---- */

/* Copies that the loader found by itself lie in the folder of the run. */
static const struct copy *learn(const char *path) {
    size_t length, same = 0;
    const char *folder = service_folder(&length);
    while (same < length && path[same] == folder[same]) same++;
    uintptr_t room = length && same == length ? os_map(WH_SERVICE_ROOM) : 0;
    if (!room) return NULL;
    struct service_talk talk;
    service_begin(&talk, (char *)room, WH_ASK_ORIGINAL);
    service_say(&talk, path);
    const char *original = service_ask(&talk) ? service_next(&talk) : NULL;
    const struct copy *copy = original ? add_copy(path, original) : NULL;
    os_unmap(room, WH_SERVICE_ROOM);
    return copy;
}

static int with_original(int found, Dl_info *info) {
    if (!found || !info->dli_fname || !service_known()) return found;
    int saved = errno;
    const struct copy *copy = find_copy(info->dli_fname);
    if (!copy) copy = learn(info->dli_fname);
    if (copy) info->dli_fname = copy->original;
    errno = saved;
    return found;
}

WH_EXPORT int dladdr(const void *address, Dl_info *info) {
    find_functions();
    return with_original(next_dladdr(address, info), info);
}

WH_EXPORT int dladdr1(const void *address, Dl_info *info, void **extra, int flags) {
    find_functions();
    return with_original(next_dladdr1(address, info, extra, flags), info);
}
