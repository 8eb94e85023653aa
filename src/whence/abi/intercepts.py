"""The table of intercepted library functions.

A reference of instrumented code to one of these functions becomes a reference
to the runtime's symbol, which checks what the function is about to read and
write, and then calls it. Code that is not instrumented is not affected, but
for allocation, which the runtime provides under its ordinary names as well.
The functions are in ``runtime/intercept/``; those that hand memory to the kernel
in ``runtime/intercept/kernel/``, which the preloaded allocator has under the
functions' own names.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

PREFIX = "__whence_"


def _names(text: str) -> list[str]:
    return text.split()


# malloc and its relatives
ALLOCATION = _names(
    """
    aligned_alloc calloc cfree free malloc malloc_usable_size memalign posix_memalign pvalloc realloc
    reallocarray valloc
    """
)

# runs of bytes
MEMORY = _names(
    """
    bcmp bcopy bzero explicit_bzero memccpy memchr memcmp memcpy memfrob memmem memmove mempcpy memrchr
    memset rawmemchr swab __explicit_bzero_chk __memcpy_chk __memmove_chk __mempcpy __mempcpy_chk
    __memset_chk
    """
)

# strings
STRINGS = _names(
    """
    basename index rindex stpcpy stpncpy strcasecmp strcasecmp_l strcasestr strcat strchr strchrnul
    strcmp strcoll strcoll_l strcpy strcspn strdup strerror_r strlcat strlcpy strlen strncasecmp
    strncasecmp_l strncat strncmp strncpy strndup strnlen strpbrk strrchr strsep strspn strstr strtok
    strtok_r strverscmp strxfrm strxfrm_l __stpcpy __stpcpy_chk __stpncpy_chk __strcat_chk __strcpy_chk
    __strdup __strncat_chk __strncpy_chk __strndup __strtok_r __xpg_strerror_r
    """
)

# wide strings, other encodings
WIDE = _names(
    """
    c16rtomb c32rtomb mbrtoc16 mbrtoc32 mbsinit mbsnrtowcs wcpcpy wcpncpy wcscasecmp wcscasecmp_l wcscat
    wcschr wcschrnul wcscmp wcscoll wcscoll_l wcscpy wcscspn wcsdup wcsftime wcsftime_l wcslen wcsncasecmp
    wcsncasecmp_l wcsncat wcsncmp wcsncpy wcsnlen wcsnrtombs wcspbrk wcsrchr wcsspn wcsstr wcstod wcstod_l
    wcstof wcstof_l wcstoimax wcstok wcstol wcstol_l wcstold wcstold_l wcstoll wcstoll_l wcstoq wcstoul
    wcstoul_l wcstoull wcstoull_l wcstoumax wcstouq wcswidth wcsxfrm wcsxfrm_l wmemchr wmemcmp wmemcpy
    wmemmove wmempcpy wmemset __isoc23_wcstoimax __isoc23_wcstol __isoc23_wcstol_l __isoc23_wcstoll
    __isoc23_wcstoll_l __isoc23_wcstoul __isoc23_wcstoul_l __isoc23_wcstoull __isoc23_wcstoull_l
    __isoc23_wcstoumax __wcscat_chk __wcscpy_chk __wcsncpy_chk
    __wmemcpy_chk __wmemmove_chk __wmempcpy_chk __wmemset_chk
    """
)

# stdlib.h, getopt.h, argp.h: numbers in text, options, sorting, environment, multibyte characters
STANDARD = _names(
    """
    a64l argp_parse atof atoi atol atoll backtrace backtrace_symbols backtrace_symbols_fd bsearch
    canonicalize_file_name dirname drand48_r ecvt ecvt_r erand48 erand48_r fcvt fcvt_r gcvt getenv getopt
    getopt_long getopt_long_only getsubopt initstate initstate_r jrand48 jrand48_r lcong48 lcong48_r
    lrand48_r mblen mbrlen mbrtowc mbsrtowcs mbstowcs mbtowc mkdtemp mkostemp mkostemp64 mkostemps mkstemp
    mkstemp64 mkstemps mkstemps64 mktemp mrand48_r nrand48 nrand48_r putenv qecvt qecvt_r qfcvt qfcvt_r
    qsort qsort_r rand_r random_r realpath secure_getenv seed48 seed48_r setenv setstate setstate_r
    srand48_r srandom_r strfromd strfromf strfroml strtod strtod_l strtof strtof_l strtoimax strtol
    strtol_l strtold strtold_l strtoll strtoll_l strtoq strtoul strtoul_l strtoull strtoull_l strtoumax
    strtouq system unsetenv wcrtomb wcsrtombs wcstombs wctomb __isoc23_strtoimax __isoc23_strtol
    __isoc23_strtoll __isoc23_strtoul __isoc23_strtoull __isoc23_strtol_l __isoc23_strtoll_l
    __isoc23_strtoul_l __isoc23_strtoull_l __isoc23_strtoumax __realpath_chk __xpg_basename
    """
)

# wchar.h: printf and scanf
WIDE_FORMATTED = _names(
    """
    fwprintf fwscanf swprintf swscanf vfwprintf vfwscanf vswprintf vswscanf vwprintf vwscanf wprintf
    wscanf __fwprintf_chk __isoc23_fwscanf __isoc23_swscanf __isoc23_vfwscanf __isoc23_vswscanf
    __isoc23_vwscanf __isoc23_wscanf __isoc99_fwscanf __isoc99_swscanf __isoc99_vfwscanf
    __isoc99_vswscanf __isoc99_vwscanf __isoc99_wscanf __swprintf_chk __vfwprintf_chk __vswprintf_chk
    __vwprintf_chk __wprintf_chk
    """
)

# printf and scanf in every form
FORMATTED = _names(
    """
    asprintf dprintf err errx fprintf fscanf printf scanf snprintf sprintf sscanf
    syslog vasprintf vdprintf vfprintf vfscanf verr verrx vprintf vscanf vsnprintf vsprintf vsscanf
    vsyslog vwarn vwarnx warn warnx __asprintf_chk __dprintf_chk __fprintf_chk __isoc23_fscanf
    __isoc23_scanf __isoc23_sscanf __isoc23_vfscanf __isoc23_vscanf __isoc23_vsscanf __isoc99_fscanf
    __isoc99_scanf __isoc99_sscanf __isoc99_vfscanf __isoc99_vscanf __isoc99_vsscanf __printf_chk
    __snprintf_chk __sprintf_chk __syslog_chk __vasprintf_chk __vdprintf_chk __vfprintf_chk __vprintf_chk
    __vsnprintf_chk __vsprintf_chk __vsyslog_chk
    """
)

# stdio.h
STREAMS = _names(
    """
    clearerr clearerr_unlocked fclose fdopen feof feof_unlocked ferror ferror_unlocked fflush
    fflush_unlocked fgetc fgetc_unlocked fgetpos fgetpos64 fgets fgets_unlocked fgetwc fgetwc_unlocked
    fgetws fgetws_unlocked fileno fileno_unlocked flockfile fmemopen fopen fopen64 fopencookie fputc
    fputc_unlocked fputs fputs_unlocked fputwc fputwc_unlocked fputws fputws_unlocked fread fread_unlocked
    freopen freopen64 fseek fseeko fseeko64 fsetpos fsetpos64 ftell ftello ftello64 ftrylockfile
    funlockfile fwide fwrite fwrite_unlocked getc getc_unlocked getchar getchar_unlocked getdelim getline
    getpass gets getw getwc getwc_unlocked open_memstream open_wmemstream pclose perror popen putc
    putc_unlocked putchar putchar_unlocked puts putw putwc putwc_unlocked remove rename renameat renameat2
    rewind setbuf setbuffer setlinebuf setvbuf tempnam tmpfile tmpfile64 tmpnam ungetc ungetwc __fgets_chk
    __fread_chk __getdelim
    """
)

# files by number and by name
FILES = _names(
    """
    access acct chdir chmod chown chroot copy_file_range creat creat64 eaccess euidaccess execl execle
    execlp execv execve execveat execvp execvpe faccessat fanotify_mark fchmodat fchownat fcntl fcntl64
    fexecve fstat fstat64 fstatat fstatat64 fstatfs fstatfs64 fstatvfs fstatvfs64 ftok futimens futimes
    futimesat getcwd getdents64 getdirentries getdirentries64 getdomainname gethostname getlogin_r getwd
    inotify_add_watch ioctl lchown link linkat lstat lstat64 lutimes memfd_create mkdir mkdirat mkfifo
    mkfifoat mknod mknodat mount name_to_handle_at open open64 open_by_handle_at openat openat64 opendir
    pathconf pipe pipe2 pivot_root poll posix_spawn posix_spawnp pread pread64 preadv preadv2 preadv64
    preadv64v2 process_vm_readv process_vm_writev ptsname_r pwrite pwrite64 pwritev pwritev2 pwritev64
    pwritev64v2 read readlink readlinkat readv rmdir sem_unlink sendfile sendfile64 shm_open shm_unlink
    splice stat stat64 statfs statfs64 statvfs statvfs64 statx symlink symlinkat swapoff swapon truncate
    truncate64 ttyname_r umount umount2 unlink unlinkat utime utimensat utimes vmsplice write writev
    __fxstat __fxstat64 __fxstatat __fxstatat64 __getcwd_chk __lxstat __lxstat64 __open64_2 __open_2
    __openat64_2 __openat_2 __pread64_chk __pread_chk __read_chk __readlink_chk __readlinkat_chk __xstat
    __xstat64
    """
)

# descriptors
DESCRIPTORS = _names(
    """
    close close_range closefrom dup dup2 dup3 epoll_create epoll_create1 eventfd eventfd_write fallocate
    fallocate64 fchdir fchmod fchown fdatasync fdopendir flock fsync ftruncate ftruncate64 inotify_init
    inotify_init1 inotify_rm_watch listen lockf lseek lseek64 mmap mmap64 posix_fadvise posix_fadvise64
    posix_fallocate posix_fallocate64 readahead shutdown sockatmark socket sync_file_range syncfs
    tcdrain tcflow tcflush tcsendbreak tcsetpgrp tee timerfd_create unshare
    """
)

# sockets
SOCKETS = _names(
    """
    accept accept4 bind connect getaddrinfo getpeername getsockname getsockopt inet_addr inet_ntop inet_pton
    recv recvfrom recvmmsg recvmsg send sendmmsg sendmsg sendto setsockopt socketpair __recv_chk
    __recvfrom_chk
    """
)

# dates and clocks
TIME = _names(
    """
    adjtime adjtimex asctime asctime_r clock_adjtime clock_getcpuclockid clock_getres clock_gettime
    clock_nanosleep clock_settime ctime ctime_r getdate getdate_r getitimer gettimeofday gmtime gmtime_r
    localtime localtime_r mktime nanosleep ntp_adjtime ntp_gettimex setitimer settimeofday strftime
    strftime_l strptime strptime_l time timegm timer_create timer_gettime timer_settime timerfd_gettime
    timerfd_settime timespec_get timespec_getres
    """
)

# directories and patterns of names
DIRECTORIES = _names(
    """
    closedir dirfd fnmatch ftw ftw64 glob glob64 globfree globfree64 nftw nftw64 readdir readdir64
    readdir64_r readdir_r rewinddir scandir scandir64 scandirat scandirat64 seekdir telldir wordexp wordfree
    """
)

# regular expressions, character sets, languages, tables
TEXT = _names(
    """
    bind_textdomain_codeset bindtextdomain catgets catopen dcgettext dcngettext dgettext dngettext gettext
    hcreate_r hdestroy_r hsearch hsearch_r iconv iconv_open lfind lsearch newlocale ngettext re_comp
    re_compile_fastmap re_compile_pattern re_exec re_match re_match_2 re_search re_search_2
    re_set_registers regcomp regerror regexec regfree rpmatch setlocale tdelete textdomain tfind tsearch
    wctrans wctype
    """
)

# users, hosts, services, interfaces
DATABASES = _names(
    """
    addmntent ether_aton ether_aton_r ether_hostton ether_line ether_ntoa ether_ntoa_r ether_ntohost
    fgetgrent fgetgrent_r fgetpwent fgetpwent_r fgetspent fgetspent_r freeaddrinfo freeifaddrs
    getgrent_r getgrgid_r getgrnam getgrnam_r getgrouplist gethostbyaddr gethostbyaddr_r gethostbyname
    gethostbyname2 gethostbyname2_r gethostbyname_r gethostent_r getifaddrs getmntent getmntent_r
    getnameinfo getnetbyname getnetbyname_r getnetent_r getprotoent_r getservent_r getspent_r getprotobyname
    getprotobyname_r getprotobynumber_r getpwent_r getpwnam getpwnam_r getpwuid_r getservbyname
    getservbyname_r getservbyport getservbyport_r getspnam getspnam_r if_indextoname if_nametoindex
    hasmntopt inet_aton inet_network initgroups innetgr putgrent putpwent setmntent
    """
)

# objects that threads meet at
SYNCHRONISATION = _names(
    """
    cnd_broadcast cnd_destroy cnd_init cnd_signal cnd_timedwait cnd_wait mtx_destroy mtx_init mtx_lock
    mtx_timedlock mtx_trylock mtx_unlock pthread_barrier_destroy pthread_barrier_init pthread_barrier_wait
    pthread_cond_broadcast pthread_cond_clockwait pthread_cond_destroy pthread_cond_init
    pthread_cond_signal pthread_cond_timedwait pthread_cond_wait pthread_create pthread_exit pthread_join
    pthread_mutex_clocklock pthread_mutex_destroy pthread_mutex_init pthread_mutex_lock
    pthread_mutex_timedlock pthread_mutex_trylock pthread_mutex_unlock pthread_once
    pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock pthread_rwlock_destroy pthread_rwlock_init
    pthread_rwlock_rdlock pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock pthread_rwlock_tryrdlock
    pthread_rwlock_trywrlock pthread_rwlock_unlock pthread_rwlock_wrlock pthread_spin_destroy
    pthread_spin_init pthread_spin_lock pthread_spin_trylock pthread_spin_unlock sem_destroy sem_getvalue
    sem_init sem_clockwait sem_post sem_timedwait sem_trywait sem_wait thrd_create
    """
)

# contexts of execution
CONTEXTS = _names("makecontext swapcontext")

# attributes, names and scheduling of threads and programs
ATTRIBUTES = _names(
    """
    posix_spawn_file_actions_addchdir_np posix_spawn_file_actions_addclose
    posix_spawn_file_actions_addfchdir_np posix_spawn_file_actions_adddup2
    posix_spawn_file_actions_addopen posix_spawn_file_actions_destroy posix_spawn_file_actions_init
    posix_spawnattr_destroy posix_spawnattr_getflags posix_spawnattr_getpgroup
    posix_spawnattr_getschedparam posix_spawnattr_getschedpolicy posix_spawnattr_getsigdefault
    posix_spawnattr_getsigmask posix_spawnattr_init posix_spawnattr_setflags posix_spawnattr_setpgroup
    posix_spawnattr_setschedparam posix_spawnattr_setschedpolicy posix_spawnattr_setsigdefault
    posix_spawnattr_setsigmask pthread_attr_destroy pthread_attr_getaffinity_np
    pthread_attr_getdetachstate pthread_attr_getguardsize pthread_attr_getinheritsched
    pthread_attr_getschedparam pthread_attr_getschedpolicy pthread_attr_getscope pthread_attr_getstack
    pthread_attr_getstacksize pthread_attr_init pthread_attr_setaffinity_np pthread_attr_setdetachstate
    pthread_attr_setguardsize pthread_attr_setinheritsched pthread_attr_setschedparam
    pthread_attr_setschedpolicy pthread_attr_setscope pthread_attr_setstack pthread_attr_setstacksize
    pthread_barrierattr_destroy pthread_barrierattr_getpshared pthread_barrierattr_init
    pthread_barrierattr_setpshared pthread_condattr_destroy pthread_condattr_getclock
    pthread_condattr_getpshared pthread_condattr_init pthread_clockjoin_np pthread_condattr_setclock
    pthread_condattr_setpshared pthread_getaffinity_np pthread_getattr_np pthread_getcpuclockid
    pthread_getname_np pthread_getschedparam pthread_key_create pthread_mutex_consistent
    pthread_mutex_getprioceiling pthread_mutex_setprioceiling pthread_mutexattr_destroy
    pthread_mutexattr_getprioceiling pthread_mutexattr_getprotocol pthread_mutexattr_getpshared
    pthread_mutexattr_getrobust pthread_mutexattr_gettype pthread_mutexattr_init
    pthread_mutexattr_setprioceiling pthread_mutexattr_setprotocol pthread_mutexattr_setpshared
    pthread_mutexattr_setrobust pthread_mutexattr_settype pthread_rwlockattr_destroy
    pthread_rwlockattr_getkind_np pthread_rwlockattr_getpshared pthread_rwlockattr_init
    pthread_rwlockattr_setkind_np pthread_rwlockattr_setpshared pthread_setaffinity_np
    pthread_setcancelstate pthread_setcanceltype pthread_setname_np pthread_setschedparam
    pthread_timedjoin_np pthread_tryjoin_np thrd_join
    """
)

# input and output beside the program
ASYNCHRONOUS = _names(
    """
    aio_cancel aio_cancel64 aio_error aio_error64 aio_fsync aio_fsync64 aio_read aio_read64 aio_return
    aio_return64 aio_suspend aio_suspend64 aio_write aio_write64 lio_listio lio_listio64
    """
)

# vectors of texts
VECTORS = _names(
    """
    argz_add argz_add_sep argz_append argz_count argz_create argz_create_sep argz_delete argz_extract
    argz_insert argz_next argz_replace argz_stringify envz_add envz_entry envz_get envz_merge envz_remove
    envz_strip
    """
)

# stacks of objects
OBSTACKS = _names(
    """
    obstack_free obstack_printf obstack_vprintf __obstack_printf_chk __obstack_vprintf_chk
    _obstack_allocated_p _obstack_begin _obstack_begin_1 _obstack_free _obstack_memory_used
    _obstack_newchunk
    """
)

# queues of messages, semaphores of System V
QUEUES = _names(
    """
    mq_getattr mq_notify mq_open mq_receive mq_send mq_setattr mq_timedreceive mq_timedsend mq_unlink msgctl
    msgrcv msgsnd sem_open semctl semop semtimedop shmctl
    """
)

# processes, signals, limits, waiting for files, random bytes, extended attributes
SYSTEM = _names(
    """
    arc4random_buf capget capset confstr dladdr epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd_read
    fgetxattr flistxattr forkpty fremovexattr frexp frexpf frexpl fsetxattr getentropy getcpu getgroups
    getloadavg getrandom getresgid getresuid getrlimit getrlimit64 getrusage getxattr klogctl lgetxattr
    listxattr llistxattr lremovexattr lsetxattr mincore modf modff modfl openpty ppoll prctl prlimit
    prlimit64 pselect psiginfo psignal pthread_sigmask ptrace removexattr sched_getaffinity sched_getparam
    sched_rr_get_interval sched_setaffinity sched_setparam sched_setscheduler select setdomainname
    seteuid setgroups sethostname setresuid setreuid setrlimit setrlimit64 setuid setxattr sigaction
    sigaddset sigaltstack sigandset
    sigdelset sigemptyset sigfillset sigisemptyset sigismember signalfd sigorset sigpending sigprocmask
    sigsuspend sigtimedwait sigwait sigwaitinfo syscall sysinfo tcgetattr tcsetattr times uname wait wait3
    wait4 waitid waitpid __poll_chk __ppoll_chk
    """
)

# iostream, as libstdc++ names it
_INTEGERS = {"s": "short", "i": "int", "l": "long", "x": "long long"}
_UNSIGNED = {"t": "short", "j": "int", "m": "long", "y": "long long"}
_OTHERS = {"b": "bool", "f": "float", "d": "double", "e": "long double", "Pv": "void*"}
_NUMBERS = _INTEGERS | {code: f"unsigned {type_}" for code, type_ in _UNSIGNED.items()} | _OTHERS
_NOT_IN_HEADERS = ("_ZNSi10_M_extractIsEERSiRT_", "_ZNSi10_M_extractIiEERSiRT_")
_INPUT = "std::istream::"
_STRING = "St11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE"
CXX_WRITERS: Mapping[str, str] = MappingProxyType(
    {
        f"_ZStrsIc{_STRING}": f"{_INPUT}operator>>(std::string&)",
        **dict.fromkeys(
            (f"_ZSt7getlineIc{_STRING}", f"_ZSt7getlineIc{_STRING}S4_"),
            "std::getline(std::istream&, std::string&)",
        ),
        "_ZNSi3getERc": f"{_INPUT}get(char&)",
        "_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_": f"{_INPUT}operator>>(char&)",
        **dict.fromkeys(("_ZNSi3getEPcl", "_ZNSi3getEPclc"), f"{_INPUT}get"),
        **dict.fromkeys(("_ZNSi7getlineEPcl", "_ZNSi7getlineEPclc"), f"{_INPUT}getline"),
        "_ZNSi4readEPcl": f"{_INPUT}read",
        "_ZNSi8readsomeEPcl": f"{_INPUT}readsome",
        **{
            symbol: f"{_INPUT}operator>>({type_}&)"
            for code, type_ in _NUMBERS.items()
            for symbol in (f"_ZNSirsER{code}", f"_ZNSi10_M_extractI{code}EERSiRT_")
            if symbol not in _NOT_IN_HEADERS
        },
    }
)
"""Member functions that write to the program's memory, and what they are called in reports."""
CXX_READERS: Mapping[str, str] = MappingProxyType(
    {"_ZNSi3getEv": f"{_INPUT}get()", "_ZNSi4peekEv": f"{_INPUT}peek()"}
)
"""Member functions that return a byte of a stream, and what they are called in reports."""
_STRING_CLASS = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE"
_OUTPUT = "std::ostream::operator<<"
_INSERTED = {
    **{code: type_ for code, type_ in _NUMBERS.items() if code in "lxmydeb"},
    "PKv": "const void*",
}
CXX_TEXTS: Mapping[str, str] = MappingProxyType(
    {
        f"{_STRING_CLASS}9_M_appendEPKcm": "std::string::append",
        f"{_STRING_CLASS}9_M_assignERKS4_": "std::string::assign",
        f"{_STRING_CLASS}10_M_replaceEmmPKcm": "std::string::replace",
        f"{_STRING_CLASS}14_M_replace_auxEmmmc": "std::string::replace",
        f"{_STRING_CLASS}9_M_mutateEmmPKcm": "std::string::insert",
        f"{_STRING_CLASS}12_M_constructEmc": "std::string::string",
        f"{_STRING_CLASS}8_M_eraseEmm": "std::string::erase",
        f"{_STRING_CLASS}6resizeEmc": "std::string::resize",
        f"{_STRING_CLASS}7reserveEm": "std::string::reserve",
        "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4copyEPcmm": "std::string::copy",
        "_ZNSolsEi": f"{_OUTPUT}(int)",
        "_ZNSolsEs": f"{_OUTPUT}(short)",
        "_ZNSo3putEc": "std::ostream::put",
        **{f"_ZNSo9_M_insertI{code}EERSoT_": f"{_OUTPUT}({type_})" for code, type_ in _INSERTED.items()},
        "_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE"
        "C1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode": "std::istringstream",
        "_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE"
        "C1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode": "std::stringstream",
    }
)
"""Functions that copy or make texts in memory of the library's, and what they are called in reports. Most are
what functions in headers call."""
CXX_STREAMS: Mapping[str, str] = MappingProxyType(
    {
        "_ZNSo5writeEPKcl": "std::ostream::write",
        "_ZNSolsEPSt15basic_streambufIcSt11char_traitsIcEE": f"{_OUTPUT}(std::streambuf*)",
        "_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l": "operator<<",
        "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc": "operator<<",
        "_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_"
        "RKNSt7__cxx1112basic_stringIS4_S5_T1_EE": "operator<<",
    }
)
"""Functions that put texts into streams, and what they are called in reports."""

# std::condition_variable
CXX_CONDITIONS = _names(
    """
    _ZNSt18condition_variable10notify_allEv
    _ZNSt18condition_variable10notify_oneEv
    """
)

# nodes of std::map, std::set and std::list, which libstdc++ links and steps through
CXX_NODES = _names(
    """
    _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_
    _ZNSt8__detail15_List_node_base7_M_hookEPS0_
    _ZNSt8__detail15_List_node_base9_M_unhookEv
    _ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base
    _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base
    _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base
    _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base
    _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_
    _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_
    """
)

_NEW_FORMS = ("m", "mSt11align_val_t", "mRKSt9nothrow_t", "mSt11align_val_tRKSt9nothrow_t")
_DELETE_FORMS = (
    "Pv",
    "Pvm",
    "PvRKSt9nothrow_t",
    "PvSt11align_val_t",
    "PvmSt11align_val_t",
    "PvSt11align_val_tRKSt9nothrow_t",
)

# operator new, new[], delete and delete[]
OPERATORS = [f"_Z{new}{form}" for new in ("nw", "na") for form in _NEW_FORMS] + [
    f"_Z{delete}{form}" for delete in ("dl", "da") for form in _DELETE_FORMS
]

_GROUPS = (
    ALLOCATION,
    OPERATORS,
    MEMORY,
    STRINGS,
    WIDE,
    WIDE_FORMATTED,
    STANDARD,
    FORMATTED,
    STREAMS,
    FILES,
    DESCRIPTORS,
    SOCKETS,
    TIME,
    DIRECTORIES,
    TEXT,
    DATABASES,
    SYNCHRONISATION,
    ATTRIBUTES,
    CONTEXTS,
    ASYNCHRONOUS,
    VECTORS,
    OBSTACKS,
    QUEUES,
    SYSTEM,
    CXX_WRITERS,
    CXX_READERS,
    CXX_TEXTS,
    CXX_STREAMS,
    CXX_CONDITIONS,
    CXX_NODES,
)

# __whence_access is the check of an access.
_EXCEPTIONS = {"access": PREFIX + "access_path"}

RUNTIME_SYMBOLS: Mapping[str, str] = MappingProxyType(
    {name: _EXCEPTIONS.get(name, PREFIX + name) for group in _GROUPS for name in group}
)
"""Library function -> symbol of the runtime."""

_DOUBLE, _FLOAT, _EXTENDED, _INT, _ENVIRONMENT, _FLAGS, _MODE = 8, 4, 10, 4, 32, 2, 8


def _stores() -> dict[str, dict[int, int]]:
    stores: dict[str, dict[int, int]] = {}
    for suffix, size in (("", _DOUBLE), ("f", _FLOAT), ("l", _EXTENDED)):
        stores[f"remquo{suffix}"] = {2: _INT}
        stores[f"lgamma{suffix}_r"] = {1: _INT}
        stores[f"sincos{suffix}"] = {1: size, 2: size}
    stores["fegetenv"] = stores["feholdexcept"] = {0: _ENVIRONMENT}
    stores["fegetexceptflag"] = {0: _FLAGS}
    stores["fegetmode"] = {0: _MODE}
    return stores


STORES: Mapping[str, Mapping[int, int]] = MappingProxyType(_stores())
"""Functions of the mathematical library -> the arguments that say where they store, and how many bytes.

The runtime is not linked to that library: instrumented code itself makes the checks, before the call.
"""

LIBRARY = frozenset(RUNTIME_SYMBOLS) | frozenset(STORES)
"""Functions that are taken for the C library's unless the program defines them."""
