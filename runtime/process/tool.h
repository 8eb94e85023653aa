/* Requests to the tool that executes the process (whence.abi.observed), if one does. */
#ifndef WHENCE_PROCESS_TOOL_H
#define WHENCE_PROCESS_TOOL_H

#include <stdint.h>

/* The answer to a request of WH_REQUEST_*; 0 without a tool. */
uint64_t tool_ask(uint64_t number, uint64_t first, uint64_t second);

#endif
