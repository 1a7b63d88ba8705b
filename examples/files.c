// SPDX-License-Identifier: Apache-2.0
// A file written and read in blocks by many tasks at once, and a call that blocks, made beside the
// workers. Its errno is kept in its argument: the task may go on in another thread.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <twill/twill.h>
#include <unistd.h>

enum { BLOCKS = 32, BLOCK = 4096 };

TW_TASK(put_block, { int fd, i; })
{
    char bytes[BLOCK];
    memset(bytes, 'a' + self.i % 26, sizeof bytes);
    int64_t put = tw_pwrite(self.fd, bytes, sizeof bytes, (int64_t)self.i * BLOCK, TW_NEVER);
    if (put < 0)
        tw_fail((int)put);
}

TW_TASK(check_block, {
    int fd, i;
    int *right;
})
{
    char bytes[BLOCK];
    int64_t got = tw_pread(self.fd, bytes, sizeof bytes, (int64_t)self.i * BLOCK, TW_NEVER);
    if (got == BLOCK && bytes[0] == 'a' + self.i % 26 && bytes[BLOCK - 1] == bytes[0])
        __atomic_fetch_add(self.right, 1, __ATOMIC_RELAXED);
}

struct sync_call {
    int fd, result, error;
};

static void sync_file(void *argument)
{
    struct sync_call *call = argument;
    call->result = fsync(call->fd);
    call->error = errno;
}

TW_TASK(write_and_check, {
    int fd;
    int *right;
})
{
    tw_finish {
        for (int i = 0; i < BLOCKS; i++)
            tw_async(put_block, .fd = self.fd, .i = i);
    }
    struct sync_call call = {self.fd, -1, 0};
    int error = tw_blocking(sync_file, &call);
    if (error || call.result != 0)
        tw_fail(error ? error : TW_SYSTEM(call.error));
    tw_finish {
        for (int i = 0; i < BLOCKS; i++)
            tw_async(check_block, .fd = self.fd, .i = i, .right = self.right);
    }
}

int main(void)
{
    char path[] = "/tmp/twill_files_XXXXXX";
    int fd = mkstemp(path), right = 0;
    if (fd < 0) {
        perror(path);
        return 77;
    }
    unlink(path);
    int error = tw_run(write_and_check, .fd = fd, .right = &right);
    close(fd);
    printf("%d of %d blocks are right\n", right, BLOCKS);
    return error != 0 || right != BLOCKS;
}
