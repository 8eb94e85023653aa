/* pwd.h, grp.h, netdb.h, ifaddrs.h, net/if.h: users, hosts, services, interfaces. */
#include <stdarg.h>
#include "check.h"

#include <arpa/inet.h>
#include <grp.h>
#include <ifaddrs.h>
#include <mntent.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <pwd.h>
#include <shadow.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* ---- users and groups ---- */

#define BY_NAME(type, name)                                                                        \
    WRAP(type, name, (const char *key)) {                                                          \
        USE_STRING(key);                                                                           \
        return name(key);                                                                          \
    }

#define BY_NAME_INTO(name, entry)                                                                  \
    WRAP(int, name,                                                                                \
         (const char *key, struct entry *to, char *room, size_t size, struct entry **result)) {    \
        USE_STRING(key);                                                                           \
        WRITE(to, sizeof *to);                                                                     \
        WRITE(result, sizeof *result);                                                             \
        return name(key, to, room, size, result);                                                  \
    }

#define BY_NUMBER_INTO(name, entry, number)                                                        \
    WRAP(int, name,                                                                                \
         (number key, struct entry * to, char *room, size_t size, struct entry **result)) {        \
        WRITE(to, sizeof *to);                                                                     \
        WRITE(result, sizeof *result);                                                             \
        return name(key, to, room, size, result);                                                  \
    }

BY_NAME(struct passwd *, getpwnam)
BY_NAME(struct group *, getgrnam)
BY_NAME_INTO(getpwnam_r, passwd)
BY_NAME_INTO(getgrnam_r, group)
BY_NUMBER_INTO(getpwuid_r, passwd, uid_t)
BY_NUMBER_INTO(getgrgid_r, group, gid_t)

WRAP(int, getgrouplist, (const char *user, gid_t group, gid_t *groups, int *count)) {
    READ_STRING(user);
    WRITE(count, sizeof *count);
    int room = *count, result = getgrouplist(user, group, groups, count);
    int stored = *count < room ? *count : room;
    if (stored > 0) WROTE(groups, bytes_of((size_t)stored, sizeof *groups));
    return result;
}

/* ---- hosts and services ---- */

BY_NAME(struct hostent *, gethostbyname)
BY_NAME(struct protoent *, getprotobyname)

WRAP(struct hostent *, gethostbyaddr, (const void *address, socklen_t length, int family)) {
    READ(address, length);
    return gethostbyaddr(address, length, family);
}

WRAP(struct servent *, getservbyname, (const char *name, const char *protocol)) {
    READ_STRING(name);
    READ_STRING_IF(protocol);
    return getservbyname(name, protocol);
}

WRAP(int, inet_aton, (const char *text, struct in_addr *address)) {
    READ_STRING(text);
    int result = inet_aton(text, address);
    if (result) WROTE_IF(address, sizeof *address);
    return result;
}

WRAP(void, freeaddrinfo, (struct addrinfo * list)) {
    READ_IF(list, sizeof *list);
    freeaddrinfo(list);
}

WRAP(int, getnameinfo,
     (const struct sockaddr *address, socklen_t length, char *host, socklen_t host_size,
      char *service, socklen_t service_size, int flags)) {
    READ(address, length);
    int result = getnameinfo(address, length, host, host_size, service, service_size, flags);
    if (result == 0 && host && host_size) WROTE(host, strlen(host) + 1);
    if (result == 0 && service && service_size) WROTE(service, strlen(service) + 1);
    return result;
}

/* ---- hosts and services, into memory of the caller ---- */

#define ANSWER_INTO                                                                                \
    WRITE(to, sizeof *to);                                                                         \
    WRITE(result, sizeof *result)

WRAP(int, gethostbyname_r,
     (const char *name, struct hostent *to, char *room, size_t size, struct hostent **result,
      int *error)) {
    USE_STRING(name);
    ANSWER_INTO;
    WRITE(error, sizeof *error);
    return gethostbyname_r(name, to, room, size, result, error);
}

WRAP(int, gethostbyname2_r,
     (const char *name, int family, struct hostent *to, char *room, size_t size,
      struct hostent **result, int *error)) {
    USE_STRING(name);
    ANSWER_INTO;
    WRITE(error, sizeof *error);
    return gethostbyname2_r(name, family, to, room, size, result, error);
}

WRAP(int, gethostbyaddr_r,
     (const void *address, socklen_t length, int family, struct hostent *to, char *room,
      size_t size, struct hostent **result, int *error)) {
    USE(address, length);
    ANSWER_INTO;
    WRITE(error, sizeof *error);
    return gethostbyaddr_r(address, length, family, to, room, size, result, error);
}

WRAP(int, getservbyname_r,
     (const char *name, const char *protocol, struct servent *to, char *room, size_t size,
      struct servent **result)) {
    USE_STRING(name);
    USE_STRING_IF(protocol);
    ANSWER_INTO;
    return getservbyname_r(name, protocol, to, room, size, result);
}

WRAP(int, getservbyport_r,
     (int port, const char *protocol, struct servent *to, char *room, size_t size,
      struct servent **result)) {
    USE_STRING_IF(protocol);
    ANSWER_INTO;
    return getservbyport_r(port, protocol, to, room, size, result);
}

BY_NAME_INTO(getprotobyname_r, protoent)
BY_NUMBER_INTO(getprotobynumber_r, protoent, int)

#define NEXT_INTO(name, entry)                                                                     \
    WRAP(int, name, (struct entry * to, char *room, size_t size, struct entry **result)) {         \
        ANSWER_INTO;                                                                               \
        return name(to, room, size, result);                                                       \
    }

NEXT_INTO(getpwent_r, passwd)
NEXT_INTO(getgrent_r, group)

/* ---- addresses of cards ---- */

#define CARD_MOST 18u /* such a text with its end, at most */

WRAP(char *, ether_ntoa, (const struct ether_addr *address)) {
    USE(address, sizeof *address);
    return ether_ntoa(address);
}

WRAP(char *, ether_ntoa_r, (const struct ether_addr *address, char *to)) {
    USE(address, sizeof *address);
    char text[CARD_MOST];
    WRITE(to, strlen(ether_ntoa_r(address, text)) + 1);
    return strcpy(to, text);
}

WRAP(struct ether_addr *, ether_aton, (const char *text)) {
    READ_STRING(text);
    return ether_aton(text);
}

WRAP(struct ether_addr *, ether_aton_r, (const char *text, struct ether_addr *to)) {
    READ_STRING(text);
    struct ether_addr address;
    if (!ether_aton_r(text, &address)) return NULL;
    WRITE(to, sizeof *to);
    *to = address;
    return to;
}

/* ---- interfaces ---- */

BY_NAME(unsigned, if_nametoindex)

WRAP(char *, if_indextoname, (unsigned index, char *to)) {
    char name[IF_NAMESIZE];
    if (!if_indextoname(index, name)) return NULL;
    WRITE(to, strlen(name) + 1);
    return strcpy(to, name);
}

WRAP(int, getifaddrs, (struct ifaddrs * *result)) {
    WRITE(result, sizeof *result);
    return getifaddrs(result);
}

WRAP(void, freeifaddrs, (struct ifaddrs * list)) {
    READ_IF(list, sizeof *list);
    freeifaddrs(list);
}

/* ---- addresses of the network ---- */

WRAP(int, getaddrinfo,
     (const char *node, const char *service, const struct addrinfo *hints,
      struct addrinfo **result)) {
    READ_STRING_IF(node);
    READ_STRING_IF(service);
    READ_IF(hints, sizeof *hints);
    if (hints) check_used(SITE, hints, offsetof(struct addrinfo, ai_addrlen));
    WRITE(result, sizeof *result);
    return getaddrinfo(node, service, hints, result);
}

static size_t address_size(int family) { return family == AF_INET6 ? 16 : 4; }

WRAP(int, inet_pton, (int family, const char *text, void *address)) {
    READ_STRING(text);
    WRITE(address, address_size(family));
    return inet_pton(family, text, address);
}

WRAP(const char *, inet_ntop, (int family, const void *address, char *to, socklen_t size)) {
    USE(address, address_size(family));
    struct bounce bounce = bounce_begin(SITE, to, size);
    const char *text = inet_ntop(family, address, bounce.buffer, size);
    bounce_end(SITE, &bounce, text ? strlen(text) + 1 : 0);
    return text ? to : NULL;
}

WRAP(in_addr_t, inet_network, (const char *text)) {
    READ_STRING(text);
    return inet_network(text);
}

WRAP(in_addr_t, inet_addr, (const char *text)) {
    READ_STRING(text);
    return inet_addr(text);
}

/* ---- files of such entries ---- */

BY_NAME(struct spwd *, getspnam)
BY_NAME_INTO(getspnam_r, spwd)

#define FROM_STREAM(name, entry)                                                                   \
    WRAP(int, name,                                                                                \
         (FILE * stream, struct entry * to, char *room, size_t size, struct entry **result)) {     \
        STREAM(stream);                                                                            \
        WRITE(to, sizeof *to);                                                                     \
        WRITE(result, sizeof *result);                                                             \
        return name(stream, to, room, size, result);                                               \
    }

FROM_STREAM(fgetpwent_r, passwd)
FROM_STREAM(fgetgrent_r, group)

FROM_STREAM(fgetspent_r, spwd)

#define NEXT_ENTRY(name, entry)                                                                    \
    WRAP(int, name, (struct entry * to, char *room, size_t size, struct entry **result)) {         \
        ANSWER_INTO;                                                                               \
        return name(to, room, size, result);                                                       \
    }

NEXT_ENTRY(getservent_r, servent)
NEXT_ENTRY(getprotoent_r, protoent)
NEXT_ENTRY(getspent_r, spwd)

#define NEXT_ENTRY_WITH(name, entry)                                                               \
    WRAP(int, name,                                                                                \
         (struct entry * to, char *room, size_t size, struct entry **result, int *error)) {        \
        ANSWER_INTO;                                                                               \
        WRITE(error, sizeof *error);                                                               \
        return name(to, room, size, result, error);                                                \
    }

NEXT_ENTRY_WITH(gethostent_r, hostent)
NEXT_ENTRY_WITH(getnetent_r, netent)

WRAP(int, getnetbyname_r,
     (const char *name, struct netent *to, char *room, size_t size, struct netent **result,
      int *error)) {
    USE_STRING(name);
    ANSWER_INTO;
    WRITE(error, sizeof *error);
    return getnetbyname_r(name, to, room, size, result, error);
}

BY_NAME(struct netent *, getnetbyname)

#define ENTRY_OF(type, name)                                                                       \
    WRAP(type, name, (FILE * stream)) {                                                            \
        STREAM(stream);                                                                            \
        return name(stream);                                                                       \
    }

ENTRY_OF(struct passwd *, fgetpwent)
ENTRY_OF(struct group *, fgetgrent)
ENTRY_OF(struct spwd *, fgetspent)
ENTRY_OF(struct mntent *, getmntent)

/* The C library writes the texts of an entry that are there. */
WRAP(int, putpwent, (const struct passwd *entry, FILE *stream)) {
    USE(entry, sizeof *entry);
    STREAM(stream);
    return putpwent(entry, stream);
}

WRAP(int, putgrent, (const struct group *entry, FILE *stream)) {
    READ(entry, sizeof *entry);
    STREAM(stream);
    return putgrent(entry, stream);
}

WRAP(int, addmntent, (FILE * stream, const struct mntent *entry)) {
    READ(entry, sizeof *entry);
    STREAM(stream);
    return addmntent(stream, entry);
}

WRAP(char *, hasmntopt, (const struct mntent *entry, const char *option)) {
    READ(entry, sizeof *entry);
    USE_STRING(option);
    return hasmntopt(entry, option);
}

WRAP(int, initgroups, (const char *user, gid_t group)) {
    USE_STRING(user);
    return initgroups(user, group);
}

WRAP(int, innetgr, (const char *group, const char *host, const char *user, const char *domain)) {
    USE_STRING(group);
    USE_STRING_IF(host);
    USE_STRING_IF(user);
    USE_STRING_IF(domain);
    return innetgr(group, host, user, domain);
}

WRAP(int, ether_hostton, (const char *name, struct ether_addr *to)) {
    USE_STRING(name);
    WRITE(to, sizeof *to);
    return ether_hostton(name, to);
}

/* The room for a name is not known: what is stored is checked. */
WRAP(int, ether_ntohost, (char *name, const struct ether_addr *address)) {
    USE(address, sizeof *address);
    int result = ether_ntohost(name, address);
    if (result == 0) WROTE(name, strlen(name) + 1);
    return result;
}

WRAP(int, ether_line, (const char *line, struct ether_addr *address, char *name)) {
    READ_STRING(line);
    WRITE(address, sizeof *address);
    int result = ether_line(line, address, name);
    if (result == 0) WROTE(name, strlen(name) + 1);
    return result;
}

WRAP(FILE *, setmntent, (const char *path, const char *mode)) {
    USE_STRING(path);
    USE_STRING(mode);
    return setmntent(path, mode);
}

WRAP(struct mntent *, getmntent_r, (FILE * stream, struct mntent *to, char *room, int size)) {
    STREAM(stream);
    WRITE(to, sizeof *to);
    return getmntent_r(stream, to, room, size);
}

WRAP(struct servent *, getservbyport, (int port, const char *protocol)) {
    READ_STRING_IF(protocol);
    return getservbyport(port, protocol);
}

WRAP(struct hostent *, gethostbyname2, (const char *name, int family)) {
    USE_STRING(name);
    return gethostbyname2(name, family);
}
