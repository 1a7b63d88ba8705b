// SPDX-License-Identifier: Apache-2.0
// Sockets and the limit of descriptors.
#include "apps/net.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define DESCRIPTORS_LEFT 64 // for files, the runtime, and whoever started the process

static int closed_for(int socket, int error)
{
    close(socket);
    return -error;
}

int net_listen(struct sockaddr_in *address)
{
    socklen_t length = sizeof *address;
    int on = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0)
        return -errno;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)address, length) != 0 ||
        listen(listener, SOMAXCONN) != 0 ||
        getsockname(listener, (struct sockaddr *)address, &length) != 0)
        return closed_for(listener, errno);
    return listener;
}

// Connecting goes on when the call was interrupted. Returns an errno.
static int connected(int socket, const struct sockaddr_in *address)
{
    int error = 0;
    socklen_t length = sizeof error;
    if (connect(socket, (const struct sockaddr *)address, sizeof *address) == 0)
        return 0;
    if (errno != EINTR)
        return errno;
    struct pollfd done = {.fd = socket, .events = POLLOUT};
    while (poll(&done, 1, -1) < 0 && errno == EINTR)
        ;
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

int net_connect(const struct sockaddr_in *address)
{
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0)
        return -errno;
    int error = connected(made, address);
    if (error)
        return closed_for(made, error);
    net_send_at_once(made);
    return made;
}

void net_send_at_once(int socket)
{
    int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

uint64_t net_descriptors(uint64_t wanted)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 1;
    uint64_t needed = wanted + DESCRIPTORS_LEFT;
    if (limit.rlim_cur < needed) {
        struct rlimit raised = limit;
        raised.rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed;
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
            limit = raised;
    }
    if (limit.rlim_cur >= needed)
        return wanted;
    return limit.rlim_cur > DESCRIPTORS_LEFT ? limit.rlim_cur - DESCRIPTORS_LEFT : 1;
}
