// SPDX-License-Identifier: Apache-2.0
// Twill's fib compiled by clang; the library stays as it was built.
#include "../cases.h"

int main(int argc, char **argv)
{
    return twb_serve_in_pool(twb_fib_cases, "Twill " TW_VERSION ", clang " __clang_version__,
                             (struct twb_pool_wish){TW_BIND_AUTO, 0}, argc - 1, argv + 1);
}
