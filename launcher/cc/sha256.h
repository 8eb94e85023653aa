/* The digest of a module (FIPS 180-4). */
#ifndef WHENCE_LAUNCHER_CC_SHA256_H
#define WHENCE_LAUNCHER_CC_SHA256_H

#include <stddef.h>
#include <stdint.h>

void sha256(const uint8_t *data, size_t size, uint8_t digest[32]);

#endif
