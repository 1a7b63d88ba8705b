// SPDX-License-Identifier: Apache-2.0
// See late.h. One thread: epoll for what arrives, and a queue of what is to be answered. All wait
// equally long, so the queue is in the order of arrival.
#include "late.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "leaves.h"

#define LISTENING ((uint64_t)1 << 32)
enum { EVENTS = 256, QUEUE = 1 << 16, BACKLOG = 4096 };

struct answer {
    int fd;
    uint64_t number;
    int64_t due_ns;
};

// Holds one entry for each connection at most, since a client waits for its answer.
struct queue {
    struct answer entry[QUEUE];
    size_t first, end; // not reduced
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void answer(int fd, uint64_t number)
{
    if (write(fd, &number, sizeof number) != sizeof number)
        close(fd);
}

static void answer_due(struct queue *queue)
{
    int64_t now = now_ns();
    for (; queue->first != queue->end; queue->first++) {
        const struct answer *next = &queue->entry[queue->first % QUEUE];
        if (next->due_ns > now)
            return;
        answer(next->fd, next->number);
    }
}

static void hurry(int fd)
{
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

// `mark`: 0, or LISTENING.
static void watch(int epoll, int fd, uint64_t mark)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)fd | mark};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static void accept_all(int epoll, int listening)
{
    for (;;) {
        int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0)
            return;
        hurry(fd);
        watch(epoll, fd, 0);
    }
}

static void receive(struct queue *queue, int fd, int64_t wait_ns)
{
    uint64_t number;
    ssize_t got = read(fd, &number, sizeof number);
    if (got != sizeof number) {
        if (got >= 0 || errno != EAGAIN)
            close(fd);
    } else if (number == TWB_LATE_AT_ONCE || queue->end - queue->first == QUEUE) {
        answer(fd, number);
    } else {
        queue->entry[queue->end++ % QUEUE] = (struct answer){fd, number, now_ns() + wait_ns};
    }
}

// Until something arrives or an answer is due; poll() alone would round to milliseconds.
static void await(int epoll, const struct queue *queue)
{
    struct pollfd ready = {.fd = epoll, .events = POLLIN};
    struct timespec left = {0, 0};
    if (queue->first != queue->end) {
        int64_t ns = queue->entry[queue->first % QUEUE].due_ns - now_ns();
        if (ns > 0)
            left = (struct timespec){ns / 1000000000, ns % 1000000000};
    }
    ppoll(&ready, 1, queue->first == queue->end ? NULL : &left, NULL);
}

static void serve_late(const int listening[TWB_LATE_ADDRESSES], int64_t wait_ns)
{
    static struct queue queue;
    struct epoll_event event[EVENTS];
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < TWB_LATE_ADDRESSES; i++)
        watch(epoll, listening[i], LISTENING);
    for (;;) {
        await(epoll, &queue);
        answer_due(&queue);
        int count = epoll_wait(epoll, event, EVENTS, 0);
        for (int i = 0; i < count; i++) {
            int fd = (int)(event[i].data.u64 & ~LISTENING);
            if (event[i].data.u64 & LISTENING)
                accept_all(epoll, fd);
            else
                receive(&queue, fd, wait_ns);
        }
    }
}

static struct sockaddr_in loopback(long number, unsigned port)
{
    uint32_t host = INADDR_LOOPBACK + (uint32_t)(number % TWB_LATE_ADDRESSES);
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(host)};
}

// On a port that is chosen if it is 0.
static int listen_at(int number, unsigned *port)
{
    struct sockaddr_in address = loopback(number, *port);
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, BACKLOG) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        close(fd);
        return -1;
    }
    *port = ntohs(address.sin_port);
    return fd;
}

bool twb_late_start(struct twb_late *late, long wait_us)
{
    int listening[TWB_LATE_ADDRESSES], count = 0;
    *late = (struct twb_late){0};
    while (count < TWB_LATE_ADDRESSES && (listening[count] = listen_at(count, &late->port)) >= 0)
        count++;
    fflush(NULL);
    pid_t pid = count == TWB_LATE_ADDRESSES ? fork() : -1;
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_TIMERSLACK, 1);
        signal(SIGPIPE, SIG_IGN);
        serve_late(listening, wait_us * INT64_C(1000));
    }
    while (count > 0)
        close(listening[--count]);
    late->pid = pid > 0 ? pid : 0;
    return pid > 0;
}

void twb_late_stop(struct twb_late *late)
{
    if (late->pid == 0)
        return;
    kill(late->pid, SIGKILL);
    while (waitpid(late->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    late->pid = 0;
}

long twb_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 0;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_max > QUEUE ? QUEUE : (long)limit.rlim_max;
}

static int connect_late(const struct sockaddr_in *address)
{
    uint64_t number = TWB_LATE_AT_ONCE;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 ||
        write(fd, &number, sizeof number) != sizeof number ||
        read(fd, &number, sizeof number) != sizeof number) {
        perror("serve: no connection");
        exit(1);
    }
    hurry(fd);
    return fd;
}

const int *twb_late_connections(long count, bool nonblocking)
{
    static int *fds;
    if (fds != NULL)
        return fds;
    fds = calloc((size_t)count, sizeof *fds);
    if (fds == NULL)
        abort();
    for (long i = 0; i < count; i++) {
        struct sockaddr_in address = loopback(i, (unsigned)twb_setting("TWB_PORT", 0));
        fds[i] = connect_late(&address);
        if (nonblocking)
            fcntl(fds[i], F_SETFL, O_NONBLOCK);
    }
    return fds;
}
