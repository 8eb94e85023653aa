/* Ending as a child ended. */
#ifndef WHENCE_LAUNCHER_END_H
#define WHENCE_LAUNCHER_END_H

/* Ends this process as `status` says, which is as waitpid gives it. */
_Noreturn void end_like(int status);

#endif
