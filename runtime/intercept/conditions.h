/* Conditions have had another form under the same names. */
#ifndef WHENCE_INTERCEPT_CONDITIONS_H
#define WHENCE_INTERCEPT_CONDITIONS_H

#if defined __x86_64__
#define CONDITIONS "GLIBC_2.3.2"
#else
#define CONDITIONS "GLIBC_2.17"
#endif

#endif
