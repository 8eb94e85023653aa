"""The table of library functions: each stands here once, with what whence knows of it.

A row is names and, after a colon, *effects*. A name may have families behind it, which have the same effects:
``strcpy+chk`` is ``strcpy`` and ``__strcpy_chk``, which knows how large the destination is, as a last
argument. What passes need to know of functions is computed from the table here, and the page
docs/library-functions.md is the table in words (`whence.abi.library_page`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "_": ("__{}",),
        "chk": ("__{}_chk",),
        "l": ("{}_l",),
        "u": ("{}_unlocked",),
        "64": ("{}64",),
        "23": ("__isoc23_{}",),
        "scan": ("__isoc99_{}", "__isoc23_{}"),
    }
)
"""How the names of relatives are made that take the same arguments first and have the same effects."""

EFFECTS: Mapping[str, str] = MappingProxyType(
    {
        "quiet": "frees nothing, and calls no function of the program",
        "looks": "the same, and stores nothing",
        "new": "returns new memory",
        "block": "makes a block of so many bytes: the arguments whose product that is",
        "aligned": "aligns the block: the argument that says to what",
        "frees": "ends the block at argument 0",
        "moves": "copies bytes, undefined ones and pointers as they are",
        "sets": "gives all bytes one value",
        "byte": "stores this argument, and does not depend on it",
        "sorts": "moves elements of the array at argument 0",
        "gives": "stores a pointer to new memory at argument 0, if its result compares so with 0",
        "text": "copies a text to argument i from argument j",
        "padded": "the same, at most so many bytes, and zeros behind them",
        "appended": "the same, behind the text that is there, and at most so many bytes if a number is given",
        "copied": "returns a copy of the text at argument i, of at most so many bytes",
        "fitting": "copies of a text what fits",
        "appended_fitting": "the same, behind the text that is there",
        "returns": "returns this argument, or a pointer behind it, or null",
        "bytes": "accesses as many bytes at argument i as argument j, or a product, says",
        "most": "accesses at most so many",
        "wide": "the same as `bytes`, in wide characters",
        "stores": "stores so many bytes at argument i; the calling code checks that",
        "fills": "stores so many bytes at argument i",
        "input": "gives what comes from outside",
        "output": "writes to the outside what it is given",
        "sends": "hands memory to the kernel, which sends it to the outside",
        "says": "writes a message to where errors go",
        "flat": "has a result that depends on these arguments alone",
        "parses": "computes numbers from the text at argument 0",
        "prints": "writes a formatted text to memory",
        "format": "has a format at argument i; the arguments behind it are those that it names",
        "chooses": "looks at arguments i to j only as argument k says, which is of this kind",
        "computes": "computes a number from one other",
        "keeps": "keeps a pointer that it is given",
        "apart": "does not look into memory that may be symbolic",
        "waits": "waits, maybe until another thread ends the program",
        "starts": "starts a thread",
        "signals": "has a signal come, now or later, which another thread may handle",
        "ends": "does not return",
        "status": "ends the process with argument 0 for a status",
        "leaves": "leaves the function that calls it",
        "model": "has a model for exploration: parameters (pointer, int, long), before, after",
    }
)
"""The vocabulary. Arguments count from 0."""

UNWRAPPED = "functions that the runtime does not replace"
"""The section of those; functions in all others have wrappers."""

TABLE = """
[malloc and its relatives]
aligned_alloc: new block=1 aligned=0 apart quiet
calloc: new block=0,1 apart quiet
cfree: frees apart
free: frees apart
malloc: new block=0 apart quiet
malloc_usable_size: apart looks
memalign: new block=1 aligned=0 quiet
posix_memalign: block=2 aligned=1 gives=eq apart quiet
pvalloc valloc: new block=0 quiet
realloc: new block=1 frees apart
reallocarray: new block=1,2 frees apart

[operator new and delete]
_Znwm _Znam: new block=0 apart
_ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t: new block=0
_ZnwmSt11align_val_t _ZnamSt11align_val_t: new block=0 aligned=1
_ZnwmSt11align_val_tRKSt9nothrow_t _ZnamSt11align_val_tRKSt9nothrow_t: new block=0 aligned=1
_ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZdlPvRKSt9nothrow_t _ZdaPvRKSt9nothrow_t: frees apart
_ZdlPvSt11align_val_t _ZdaPvSt11align_val_t _ZdlPvmSt11align_val_t _ZdaPvmSt11align_val_t: frees apart
_ZdlPvSt11align_val_tRKSt9nothrow_t _ZdaPvSt11align_val_tRKSt9nothrow_t: frees apart

[runs of bytes]
bcmp memcmp: looks bytes=0:2,1:2 model=ppl/memcmp/strncmp
bcopy: quiet moves bytes=0:2,1:2
bzero: quiet sets bytes=0:1 model=pl/-/bzero
explicit_bzero+chk: quiet sets bytes=0:1
memccpy: quiet moves returns=0 most=0:3,1:3
memchr: looks returns=0 most=0:2 model=pil/memchr/-
memcpy+chk memmove+chk mempcpy+chk __mempcpy: quiet moves returns=0 bytes=0:2,1:2 model=ppl/-/memcpy
memfrob: quiet returns=0 bytes=0:1
memmem: looks returns=0 bytes=0:1,2:3
memrchr: looks returns=0 most=0:2 model=pil/memrchr/-
memset+chk: quiet sets byte=1 returns=0 bytes=0:2 model=pil/memset/-
rawmemchr: looks returns=0 model=pi/memchr/-
swab: quiet most=0:2,1:2

[strings]
index strchr strchrnul: looks returns=0 model=pi/strchr/-
rindex strrchr: looks returns=0 model=pi/strrchr/-
strcpy+chk stpcpy+chk __stpcpy: quiet text=0,1 returns=0 model=pp/strcpy/strcpy
strncpy+chk: quiet padded=0,1,2 returns=0 bytes=0:2 model=ppl/strncpy/strncpy
stpncpy+chk: quiet padded=0,1,2 returns=0 bytes=0:2
strcat+chk: quiet appended=0,1 returns=0 model=pp/strcat/strcat
strncat+chk: quiet appended=0,1,2 returns=0 model=ppl/strncat/strncat
strlcat: quiet appended_fitting=0,1,2
strlcpy: quiet fitting=0,1,2
strdup+_: new quiet copied=0 model=p/strdup/strdup
strndup+_: new quiet copied=0,1 model=pl/strndup/strndup
strcasecmp: looks model=pp/strcasecmp/strcmp
strncasecmp: looks model=ppl/strncasecmp/strncmp
strcmp strcoll: looks model=pp/strcmp/strcmp
strncmp: looks model=ppl/strncmp/strncmp
strcasecmp_l strncasecmp_l strcoll_l strverscmp: looks
strlen: looks model=p/strlen/-
strnlen: looks model=pl/strnlen/-
strspn: looks model=pp/strspn/-
strcspn: looks model=pp/strcspn/-
strpbrk: looks returns=0 model=pp/strcspn/-
strstr: looks returns=0 model=pp/strstr/-
strcasestr: looks returns=0
strtok strtok_r+_: quiet keeps
basename strsep strxfrm+l: quiet
strerror_r __xpg_strerror_r

[wide strings, other encodings]
wcscpy+chk wcpcpy wcscat+chk wcsncat: quiet returns=0
wcsncpy+chk wcpncpy: quiet returns=0 wide=0:2
wcschr wcschrnul wcsrchr wcsstr wcspbrk wmemchr: looks returns=0
wcscmp wcscasecmp+l wcscoll+l wcsncasecmp+l wcsncmp wcslen wcsnlen wcsspn wcscspn wcswidth wmemcmp: looks
wmemcpy+chk wmemmove+chk wmempcpy+chk: quiet returns=0 wide=0:2,1:2
wmemset+chk: quiet byte=1 returns=0 wide=0:2
wcsdup wcsxfrm: quiet
wcstok: quiet keeps
wcstod+l wcstof+l wcstold+l wcstol+l+23 wcstoll+l+23 wcstoul+l+23 wcstoull+l+23: quiet
wcstoimax+23 wcstoumax+23 wcstoq wcstouq: quiet
mbsinit: looks
c16rtomb c32rtomb mbrtoc16 mbrtoc32 mbsnrtowcs wcsftime+l wcsnrtombs wcsxfrm_l

[numbers in text, options, sorting, environment, multibyte characters]
atof strtod+l strtof+l strtold+l strfromd strfromf strfroml a64l: quiet
atoi: quiet parses model=p/atol/atoi
atol atoll: quiet parses model=p/atol/atol
strtol+l+23 strtoll+l+23 strtoul+l+23 strtoull+l+23 strtoq strtouq: quiet parses model=ppi/strtol/strtol
strtoimax+23 strtoumax+23: quiet parses model=ppi/strtol/strtol
bsearch: returns=1 bytes=1:2*3
getenv: input apart
secure_getenv: input apart
initstate initstate_r setstate setstate_r putenv: keeps
qsort qsort_r: sorts bytes=0:1*2
argp_parse backtrace backtrace_symbols backtrace_symbols_fd canonicalize_file_name dirname drand48_r ecvt
ecvt_r erand48 erand48_r fcvt fcvt_r gcvt getopt getopt_long getopt_long_only getsubopt jrand48 jrand48_r
lcong48 lcong48_r lrand48_r mblen mbrlen mbrtowc mbsrtowcs mbstowcs mbtowc mkdtemp mkostemp+64 mkostemps
mkstemp+64 mkstemps+64 mktemp mrand48_r nrand48 nrand48_r qecvt qecvt_r qfcvt qfcvt_r rand_r random_r
realpath+chk seed48 seed48_r setenv srand48_r srandom_r system unsetenv wcrtomb wcsrtombs wcstombs wctomb
__xpg_basename

[printf and scanf]
asprintf: prints gives=sge format=1
vasprintf+chk: prints gives=sge
sprintf: prints format=1
snprintf: prints format=2 most=0:1
vsprintf+chk __vsnprintf_chk: prints
vsnprintf: prints most=0:1
__asprintf_chk: prints gives=sge format=2
__sprintf_chk: prints format=3
__snprintf_chk: prints format=4 most=0:1
printf vprintf: output format=0
fprintf vfprintf dprintf vdprintf __printf_chk __vprintf_chk: output format=1
__fprintf_chk __vfprintf_chk __dprintf_chk __vdprintf_chk: output format=2
syslog: format=1
__syslog_chk: format=2
err errx verr verrx: says format=1 ends status
warn warnx vwarn vwarnx: says format=0
fscanf+scan: input model=p/fscanf/fscanf
scanf+scan: input model=/scanf/scanf
vfscanf+scan vscanf+scan: input
sscanf+scan vsscanf+scan: parses
vsyslog+chk fwprintf+chk fwscanf+scan swprintf+chk swscanf+scan vfwprintf+chk vfwscanf+scan vswprintf+chk
vswscanf+scan vwprintf+chk vwscanf+scan wprintf+chk wscanf+scan

[streams]
clearerr+u feof+u ferror+u fileno+u ftell ftello+64 fclose ungetc: apart
fgets+u: input returns=0 most=0:1 model=pip/fgets/fgets
__fgets_chk: input returns=0 most=0:2
fread+u: input most=0:1*2 model=pllp/fread/fread
__fread_chk: input most=0:2*3
fgetc+u getc+u: input model=p/fgetc/fgetc
getchar+u: input model=/getchar/getchar
getdelim+_: input gives=sge model=ppip/getdelim/getdelim
getline: input gives=sge model=ppp/getline/getline
fopen+64: model=p/open/-
fseek fseeko+64 fsetpos+64 rewind: model=p/fseek/fseek
fputc+u fputs+u putc+u putchar+u puts: output
fwrite+u: output bytes=0:1*2 flat=1,2
fflush+u: apart flat
perror: says
fmemopen fopencookie open_memstream open_wmemstream setbuffer: keeps
setbuf setvbuf: keeps apart
fdopen fgetpos+64 fgetwc+u fgetws+u flockfile fputwc+u fputws+u freopen+64 ftrylockfile funlockfile fwide
getpass gets getw getwc+u pclose popen putw putwc+u remove rename renameat renameat2 setlinebuf tempnam
tmpfile+64 tmpnam ungetwc

[files by number and by name]
creat+64 access unlink __open_2 __open64_2: model=p/open/-
open+64: chooses=OPEN,2,3,1 model=p/open/-
__openat_2 __openat64_2: model=ip/openat/-
openat+64: chooses=OPEN,3,4,2 model=ip/openat/-
fcntl+64: chooses=FCNTL,2,3,1
ioctl: keeps chooses=IOCTL,2,3,1
read+chk: input most=1:2 waits model=ipl/read/read
pread+64+chk: input most=1:2 model=ipll/pread/pread
readv: input waits
preadv+64 preadv2 preadv64v2: input
write: sends most=1:2 flat=0,2
pwrite+64: sends most=1:2
writev pwritev+64 pwritev2 pwritev64v2: sends
poll+chk: waits
acct chdir chmod chown chroot copy_file_range eaccess euidaccess execl execle execlp execv execve execveat
execvp execvpe faccessat fanotify_mark fchmodat fchownat fexecve fstat+64 fstatat+64 fstatfs+64 fstatvfs+64
ftok futimens futimes futimesat getcwd+chk getdents64 getdirentries+64 getdomainname gethostname getlogin_r
getwd inotify_add_watch lchown link linkat lstat+64 lutimes memfd_create mkdir mkdirat mkfifo mkfifoat mknod
mknodat mount name_to_handle_at open_by_handle_at opendir pathconf pipe pipe2 pivot_root posix_spawn
posix_spawnp process_vm_readv process_vm_writev ptsname_r readlink+chk readlinkat+chk rmdir sem_unlink
sendfile+64 shm_open shm_unlink splice stat+64 statfs+64 statvfs+64 statx symlink symlinkat swapoff swapon
truncate+64 ttyname_r umount umount2 unlinkat utime utimensat utimes vmsplice __fxstat+64 __fxstatat+64
__lxstat+64 __xstat+64

[descriptors]
close: apart
mmap+64: input chooses=MAP,4,6,3 model=pliiil/-/mmap
close_range closefrom dup dup2 dup3 epoll_create epoll_create1 eventfd eventfd_write fallocate+64 fchdir
fchmod fchown fdatasync fdopendir flock fsync ftruncate+64 inotify_init inotify_init1 inotify_rm_watch
listen lockf lseek+64 posix_fadvise+64 posix_fallocate+64 readahead shutdown sockatmark socket
sync_file_range syncfs tcdrain tcflow tcflush tcsendbreak tcsetpgrp tee timerfd_create unshare

[sockets]
accept accept4: waits
recv+chk recvfrom+chk: input most=1:2 waits
recvmsg: input waits
recvmmsg: waits
send sendto: sends most=1:2
sendmsg: sends
inet_ntop: returns=2
bind connect getaddrinfo getpeername getsockname getsockopt inet_addr inet_pton sendmmsg setsockopt
socketpair

[dates and clocks]
adjtimex: fills=0:208
clock_nanosleep nanosleep: waits
time: apart
timer_create: keeps
setitimer timer_settime: signals
adjtime asctime asctime_r clock_adjtime clock_getcpuclockid clock_getres clock_gettime clock_settime ctime
ctime_r getdate getdate_r getitimer gettimeofday gmtime gmtime_r localtime localtime_r mktime ntp_adjtime
ntp_gettimex settimeofday strftime+l strptime+l timegm timer_gettime timerfd_gettime
timerfd_settime timespec_get timespec_getres

[directories and patterns of names]
closedir dirfd fnmatch ftw+64 glob+64 globfree+64 nftw+64 readdir+64 readdir64_r readdir_r rewinddir
scandir+64 scandirat+64 seekdir telldir wordexp wordfree

[regular expressions, character sets, languages, tables]
hsearch hsearch_r lsearch tsearch: keeps
setlocale: apart
bind_textdomain_codeset bindtextdomain catgets catopen dcgettext dcngettext dgettext dngettext gettext
hcreate_r hdestroy_r iconv iconv_open lfind newlocale ngettext re_comp re_compile_fastmap re_compile_pattern
re_exec re_match re_match_2 re_search re_search_2 re_set_registers regcomp regerror regexec regfree rpmatch
tdelete textdomain tfind wctrans wctype

[users, hosts, services, interfaces]
addmntent ether_aton ether_aton_r ether_hostton ether_line ether_ntoa ether_ntoa_r ether_ntohost fgetgrent
fgetgrent_r fgetpwent fgetpwent_r fgetspent fgetspent_r freeaddrinfo freeifaddrs getgrent_r getgrgid_r
getgrnam getgrnam_r getgrouplist gethostbyaddr gethostbyaddr_r gethostbyname gethostbyname2 gethostbyname2_r
gethostbyname_r gethostent_r getifaddrs getmntent getmntent_r getnameinfo getnetbyname getnetbyname_r
getnetent_r getprotoent_r getservent_r getspent_r getprotobyname getprotobyname_r getprotobynumber_r
getpwent_r getpwnam getpwnam_r getpwuid_r getservbyname getservbyname_r getservbyport getservbyport_r
getspnam getspnam_r if_indextoname if_nametoindex hasmntopt inet_aton inet_network initgroups innetgr
putgrent putpwent setmntent

[objects that threads meet at]
cnd_timedwait cnd_wait: waits
pthread_barrier_wait pthread_cond_clockwait pthread_cond_timedwait pthread_cond_wait: waits
sem_clockwait sem_timedwait sem_wait: waits
pthread_mutex_destroy pthread_mutex_init pthread_mutex_lock pthread_mutex_unlock pthread_once: apart
pthread_create: starts keeps apart chooses=NEVER,3,4,0
pthread_exit: ends
pthread_join: waits apart
thrd_create: starts keeps
cnd_broadcast cnd_destroy cnd_init cnd_signal mtx_destroy mtx_init mtx_lock mtx_timedlock mtx_trylock
mtx_unlock pthread_barrier_destroy pthread_barrier_init pthread_cond_broadcast pthread_cond_destroy
pthread_cond_init pthread_cond_signal pthread_mutex_clocklock pthread_mutex_timedlock pthread_mutex_trylock
pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock pthread_rwlock_destroy pthread_rwlock_init
pthread_rwlock_rdlock pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock pthread_rwlock_tryrdlock
pthread_rwlock_trywrlock pthread_rwlock_unlock pthread_rwlock_wrlock pthread_spin_destroy pthread_spin_init
pthread_spin_lock pthread_spin_trylock pthread_spin_unlock sem_destroy sem_getvalue sem_init sem_post
sem_trywait

[attributes, names and scheduling of threads and programs]
pthread_attr_setstack: keeps
pthread_clockjoin_np pthread_timedjoin_np thrd_join: waits
posix_spawn_file_actions_addchdir_np posix_spawn_file_actions_addclose posix_spawn_file_actions_addfchdir_np
posix_spawn_file_actions_adddup2 posix_spawn_file_actions_addopen posix_spawn_file_actions_destroy
posix_spawn_file_actions_init posix_spawnattr_destroy posix_spawnattr_getflags posix_spawnattr_getpgroup
posix_spawnattr_getschedparam posix_spawnattr_getschedpolicy posix_spawnattr_getsigdefault
posix_spawnattr_getsigmask posix_spawnattr_init posix_spawnattr_setflags posix_spawnattr_setpgroup
posix_spawnattr_setschedparam posix_spawnattr_setschedpolicy posix_spawnattr_setsigdefault
posix_spawnattr_setsigmask pthread_attr_destroy pthread_attr_getaffinity_np pthread_attr_getdetachstate
pthread_attr_getguardsize pthread_attr_getinheritsched pthread_attr_getschedparam
pthread_attr_getschedpolicy pthread_attr_getscope pthread_attr_getstack pthread_attr_getstacksize
pthread_attr_init pthread_attr_setaffinity_np pthread_attr_setdetachstate pthread_attr_setguardsize
pthread_attr_setinheritsched pthread_attr_setschedparam pthread_attr_setschedpolicy pthread_attr_setscope
pthread_attr_setstacksize pthread_barrierattr_destroy pthread_barrierattr_getpshared
pthread_barrierattr_init pthread_barrierattr_setpshared pthread_condattr_destroy pthread_condattr_getclock
pthread_condattr_getpshared pthread_condattr_init pthread_condattr_setclock pthread_condattr_setpshared
pthread_getaffinity_np pthread_getattr_np pthread_getcpuclockid pthread_getname_np pthread_getschedparam
pthread_key_create pthread_mutex_consistent pthread_mutex_getprioceiling pthread_mutex_setprioceiling
pthread_mutexattr_destroy pthread_mutexattr_getprioceiling pthread_mutexattr_getprotocol
pthread_mutexattr_getpshared pthread_mutexattr_getrobust pthread_mutexattr_gettype pthread_mutexattr_init
pthread_mutexattr_setprioceiling pthread_mutexattr_setprotocol pthread_mutexattr_setpshared
pthread_mutexattr_setrobust pthread_mutexattr_settype pthread_rwlockattr_destroy
pthread_rwlockattr_getkind_np pthread_rwlockattr_getpshared pthread_rwlockattr_init
pthread_rwlockattr_setkind_np pthread_rwlockattr_setpshared pthread_setaffinity_np pthread_setcancelstate
pthread_setcanceltype pthread_setname_np pthread_setschedparam pthread_tryjoin_np

[contexts of execution]
makecontext: keeps
swapcontext

[input and output beside the program]
aio_fsync+64 aio_read+64 aio_write+64 lio_listio+64: keeps
aio_suspend+64: waits
aio_cancel+64 aio_error+64 aio_return+64

[vectors of texts]
argz_add argz_add_sep argz_append argz_count argz_create argz_create_sep argz_delete argz_extract
argz_insert argz_next argz_replace argz_stringify envz_add envz_entry envz_get envz_merge envz_remove
envz_strip

[stacks of objects]
obstack_printf: format=1
__obstack_printf_chk: format=2
obstack_free obstack_vprintf+chk _obstack_allocated_p _obstack_begin _obstack_begin_1 _obstack_free
_obstack_memory_used _obstack_newchunk

[queues of messages, semaphores of System V]
mq_notify: keeps
mq_open sem_open: chooses=OPEN,2,4,1
mq_receive mq_timedreceive msgrcv: waits
semctl: chooses=NEVER,3,4,0
mq_getattr mq_send mq_setattr mq_timedsend mq_unlink msgctl msgsnd semop semtimedop shmctl

[processes, signals, limits, waiting for files, random bytes, extended attributes]
dladdr: fills=1:32
epoll_pwait epoll_pwait2 epoll_wait ppoll+chk pselect select: waits
sigsuspend sigtimedwait sigwait sigwaitinfo wait wait3 wait4 waitid waitpid: waits
frexp frexpf frexpl modf modff modfl: quiet
arc4random_buf getentropy getrandom: bytes=0:1
prctl sigaltstack syscall: keeps
ptrace: chooses=NEVER,1,4,0
sigaction: apart
capget capset confstr epoll_ctl eventfd_read fgetxattr flistxattr forkpty fremovexattr fsetxattr getcpu
getgroups getloadavg getresgid getresuid getrlimit+64 getrusage getxattr klogctl lgetxattr listxattr
llistxattr lremovexattr lsetxattr mincore openpty prlimit+64 psiginfo psignal pthread_sigmask removexattr
sched_getaffinity sched_getparam sched_rr_get_interval sched_setaffinity sched_setparam sched_setscheduler
setdomainname seteuid setgroups sethostname setresuid setreuid setrlimit+64 setuid setxattr sigaddset
sigandset sigdelset sigemptyset sigfillset sigisemptyset sigismember signalfd sigorset sigpending
sigprocmask sysinfo tcgetattr tcsetattr times uname

[functions that the runtime does not replace]
abort: ends apart
exit _exit: ends status apart
_Exit quick_exit: ends status
thrd_exit __assert __assert_fail __assert_perror_fail __chk_fail __fortify_fail __stack_chk_fail: ends
longjmp siglongjmp: ends leaves apart
_longjmp __longjmp_chk: ends leaves
__cxa_throw __cxa_rethrow: leaves
abs labs sin cos tan exp exp2 log log2 log10 pow sqrt floor ceil fmod fabs ldexp atan atan2: quiet
isalnum isalpha isdigit islower isprint ispunct isspace isupper isxdigit: quiet
tolower: quiet computes model=i/tolower/tolower
toupper: quiet computes model=i/tolower/toupper
htonl htons ntohl ntohs: computes
__ctype_b_loc __errno_location: quiet apart
__ctype_tolower_loc __ctype_toupper_loc clock getpid pthread_self signal: apart
setjmp _setjmp sigsetjmp __sigsetjmp: apart
atexit: keeps apart
insque on_exit pthread_setspecific tss_set: keeps
pause sleep usleep thrd_sleep: waits
alarm gsignal kill killpg pthread_kill pthread_sigqueue raise sigqueue tgkill ualarm: signals
alloca: block=0
error: says format=2 status
error_at_line: says format=4 status
_IO_getc: model=p/fgetc/fgetc
__uflow: model=p/__uflow/__uflow
remquo remquof remquol: stores=2:4
lgamma_r lgammaf_r lgammal_r: stores=1:4
sincos: stores=1:8,2:8
sincosf: stores=1:4,2:4
sincosl: stores=1:10,2:10
fegetenv feholdexcept: stores=0:32
fegetexceptflag: stores=0:2
fegetmode: stores=0:8
ntp_gettime: fills=0:72
dladdr1: fills=1:32
"""


@dataclass(frozen=True)
class Function:
    """section: what it belongs to. effects: their names, with what stands behind them."""

    name: str
    section: str
    effects: Mapping[str, str] = field(default_factory=dict)


def _family(word: str) -> list[str]:
    """The functions of a name and its families."""
    name, *families = word.split("+")
    names = [name]
    for family in families:
        names += [form.format(each) for form in FAMILIES[family] for each in names]
    return names


def _functions() -> Iterator[Function]:
    section = ""
    for line in TABLE.splitlines():
        if line.startswith("["):
            section = line[1:-1]
            continue
        names, _, rest = line.partition(": ")
        effects = {name: value for name, _, value in (each.partition("=") for each in rest.split())}
        for word in names.split():
            yield from (Function(name, section, effects) for name in _family(word))


FUNCTIONS: Mapping[str, Function] = MappingProxyType({each.name: each for each in _functions()})
"""By name, in the order of the table."""
WRAPPED = tuple(each.name for each in FUNCTIONS.values() if each.section != UNWRAPPED)
"""The functions that the runtime replaces."""


def having(*effects: str) -> frozenset[str]:
    """The functions with any of these effects."""
    return frozenset(name for name, each in FUNCTIONS.items() if any(one in each.effects for one in effects))


def said(effect: str) -> dict[str, str]:
    """The functions with an effect, and what stands behind it."""
    return {name: each.effects[effect] for name, each in FUNCTIONS.items() if effect in each.effects}


def arguments(effect: str) -> dict[str, tuple[int, ...]]:
    """The functions with an effect, and the arguments that it names."""
    return {name: tuple(map(int, filter(None, text.split(",")))) for name, text in said(effect).items()}


def ranges(*effects: str) -> dict[str, tuple[tuple[int, ...], ...]]:
    """The functions with any of these effects, and the pairs, or triples, of numbers that stand there."""
    return {
        name: tuple(tuple(map(int, each.replace("*", ":").split(":"))) for each in text.split(","))
        for effect in effects
        for name, text in said(effect).items()
    }


def sizes(*effects: str) -> dict[str, dict[int, int]]:
    """The functions with any of these effects, the arguments that they name, and the bytes there."""
    return {name: {row[0]: row[1] for row in rows} for name, rows in ranges(*effects).items()}
