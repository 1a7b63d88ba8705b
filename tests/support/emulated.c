// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include <sys/mman.h>
#include <unistd.h>

// An emulator ignores even advice that does not exist, and keeps account of every page.
int test_is_emulated(void)
{
    enum { NO_SUCH_ADVICE = 9999 };
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int ignored = page != MAP_FAILED && madvise(page, size, NO_SUCH_ADVICE) == 0;
    if (page != MAP_FAILED)
        munmap(page, size);
    return ignored;
}
