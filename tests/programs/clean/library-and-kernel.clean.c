// Correct calls of functions that few programs call, whose results are those of the C library and the kernel.
// RUN: options --enable use-of-uninitialized-value
// RUN: cflags -w
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <locale.h>
#include <mntent.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <netinet/in.h>
#include <nl_types.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <shadow.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

int capget(void *, void *);
extern char **environ;

static int numbers(void) {
    int point, sign;
    char text[32], *end;
    wchar_t *wide_end;
    locale_t c = newlocale(LC_ALL_MASK, "C", NULL);
    if (a64l("/.") != 1 || strcmp(fcvt(1.5, 1, &point, &sign), "15") || point != 1 || sign) return 1;
    if (qecvt_r(2.5, 2, &point, &sign, text, sizeof text) || strcmp(text, "25")) return 2;
    if (strtol_l("12", &end, 10, c) != 12 || *end || wcstol_l(L"-7", &wide_end, 10, c) != -7) return 3;
    if (wcstod_l(L"1.5", NULL, c) != 1.5 || wcstoimax(L"9", NULL, 10) != 9) return 4;
    if (wcsncasecmp(L"AB", L"abX", 2) || wcscasecmp_l(L"Q", L"q", c) || wcscoll_l(L"a", L"a", c)) return 5;
    if (!iswctype(L'1', wctype("digit")) || towctrans(L'a', wctrans("toupper")) != L'A') return 6;
    mbstate_t state = {0};
    freelocale(c);
    return !mbsinit(&state) || !mbsinit(NULL);
}

static int system_objects(void) {
    struct shmid_ds memory;
    struct semid_ds set_info;
    struct msqid_ds queue_info;
    struct { long type; char text[4]; } message = {1, "abc"};
    union { int value; struct semid_ds *about; unsigned short *values; } argument;
    unsigned short values[2] = {3, 4};
    int id = shmget(IPC_PRIVATE, 4096, 0600), set = semget(IPC_PRIVATE, 2, 0600), queue = msgget(IPC_PRIVATE, 0600);
    if (id >= 0 && (shmctl(id, IPC_STAT, &memory) || memory.shm_segsz != 4096 || shmctl(id, IPC_RMID, NULL))) return 1;
    if (set >= 0) {
        argument.values = values;
        if (semctl(set, 0, SETALL, argument)) return 2;
        argument.about = &set_info;
        if (semctl(set, 0, IPC_STAT, argument) || set_info.sem_nsems != 2 || semctl(set, 1, GETVAL) != 4) return 3;
        semctl(set, 0, IPC_RMID);
    }
    if (queue >= 0) {
        if (msgsnd(queue, &message, 4, 0) || msgctl(queue, IPC_STAT, &queue_info) || queue_info.msg_qnum != 1) return 4;
        msgctl(queue, IPC_RMID, NULL);
    }
    return 0;
}

static int sockets(void) {
    int ends[2], room, server = socket(AF_INET, SOCK_STREAM, 0), queue = epoll_create1(0);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 1;
    struct sockaddr_in address; /* what fills it up stays as it is */
    socklen_t length = 0, size = sizeof room;
    address.sin_family = AF_INET, address.sin_port = 0, address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(server, (struct sockaddr *)&address, sizeof address) || listen(server, 1)) return 2;
    if (getsockname(server, NULL, &length)) return 3; /* no room: only the length */
    length = sizeof address;
    if (getsockname(server, (struct sockaddr *)&address, &length) || !address.sin_port) return 4;
    int client = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(client, (struct sockaddr *)&address, sizeof address)) return 5;
    int peer = accept(server, NULL, NULL);
    if (peer < 0 || getsockopt(peer, SOL_SOCKET, SO_TYPE, &room, &size) || room != SOCK_STREAM) return 6;
    struct epoll_event event;
    event.events = EPOLLIN, event.data.fd = peer; /* half of the data */
    if (epoll_ctl(queue, EPOLL_CTL_ADD, peer, &event)) return 7;
    struct iovec part = {"x", 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (sendmsg(client, &message, 0) != 1) return 8;
    struct timespec now[2];
    now[0].tv_nsec = UTIME_NOW, now[1].tv_nsec = UTIME_OMIT;
    int file = memfd_create("moments", 0);
    return futimens(file, now) != 0;
}

static int others(void) {
    struct timex tuning = {0};
    struct ntptimeval moment;
    struct timespec step, soon = {0, 0};
    unsigned processor, node;
    char text[256];
    cpu_set_t set;
    pthread_attr_t attributes;
    pthread_mutexattr_t kind;
    posix_spawnattr_t how;
    posix_spawn_file_actions_t actions;
    Dl_info info;
    int value, mount_id;
    if (adjtimex(&tuning) < 0 || ntp_gettime(&moment) < 0 || timespec_getres(&step, TIME_UTC) != TIME_UTC) return 1;
    if (getcpu(&processor, &node) || confstr(_CS_PATH, text, sizeof text) != strlen(text) + 1) return 2;
    if (!confstr(_CS_PATH, NULL, 0) || pathconf("/", _PC_NAME_MAX) < 1 || eaccess("/", R_OK)) return 3;
    if (!dladdr(stdout, &info) || !info.dli_fname) return 4;
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];
    if (capget(&header, NULL) || capget(&header, data)) return 5;
    pthread_attr_init(&attributes), pthread_mutexattr_init(&kind);
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    if (pthread_attr_setaffinity_np(&attributes, sizeof set, &set)) return 6;
    if (pthread_attr_getaffinity_np(&attributes, sizeof set, &set) || pthread_mutexattr_getprioceiling(&kind, &value)) return 7;
    pthread_attr_destroy(&attributes), pthread_mutexattr_destroy(&kind);
    posix_spawnattr_init(&how), posix_spawn_file_actions_init(&actions);
    struct sched_param order = {0};
    if (posix_spawnattr_setschedparam(&how, &order) || posix_spawnattr_getschedpolicy(&how, &value)) return 8;
    if (posix_spawn_file_actions_addchdir_np(&actions, "/")) return 9;
    pid_t child;
    char *words[] = {"true", NULL};
    if (posix_spawn(&child, "/bin/true", &actions, &how, words, environ) || waitpid(child, &value, 0) != child || value) return 10;
    posix_spawnattr_destroy(&how), posix_spawn_file_actions_destroy(&actions);
    struct file_handle *handle = malloc(sizeof *handle + MAX_HANDLE_SZ);
    handle->handle_bytes = MAX_HANDLE_SZ;
    name_to_handle_at(AT_FDCWD, "/", handle, &mount_id, 0);
    free(handle);
    if (setdomainname != NULL && umount("/none") == 0) return 11;
    if (mount(NULL, "/none", NULL, MS_REMOUNT, NULL) == 0) return 12;
    if (syscall(SYS_statx, -1, NULL, 0, 0, NULL) == 0 || syscall(SYS_unlink, NULL) == 0) return 13; /* is it there? */
    if (freopen(NULL, "w", stdout) != stdout) return 14;
    struct dirent **names = NULL;
    int count = scandirat(AT_FDCWD, "/proc/self/task", &names, NULL, NULL);
    for (int i = 0; i < count; i++) free(names[i]);
    free(names);
    if (count < 3 || utimensat(AT_FDCWD, NULL, NULL, 0) == 0) return 15;
    struct servent entry, *found;
    struct ether_addr hardware;
    if (!ether_line("08:00:20:00:61:ca host", &hardware, text) && strcmp(text, "host")) return 16;
    char shadow[2] = "ab";
    memfrob(shadow, 2);
    if (memfrob(shadow, 2) != shadow || strcmp(catgets((nl_catd)-1, 1, 1, "message"), "message")) return 17;
    return rpmatch("yes") < 0 && 0;
}

static int programs(void) {
    for (int i = 0; i < 4; i++) {
        pid_t child = fork();
        int status;
        if (!child) {
            char *words[] = {"sh", "-c", "exit 7", NULL}, *none[] = {NULL};
            if (i == 0) execl("/bin/sh", "sh", "-c", "exit 7", NULL);
            if (i == 1) execlp("sh", "sh", "-c", "exit 7", NULL);
            if (i == 2) execle("/bin/sh", "sh", "-c", "exit 7", NULL, none);
            if (i == 3) fexecve(open("/bin/sh", O_RDONLY), words, environ);
            _exit(1);
        }
        if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7) return i + 1;
    }
    return 0;
}

int main(void) {
    int results[] = {numbers(), system_objects(), sockets(), others(), programs()};
    for (int i = 0; i < 5; i++)
        if (results[i]) return 20 * i + results[i];
    return 0;
}
