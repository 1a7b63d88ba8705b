// SPDX-License-Identifier: Apache-2.0
// A switch between network namespaces that holds each packet for some time: a cluster's network on
// one machine, whose kernel need not know how to delay.
//
//   delay_switch <microseconds> <device> <namespace> ...    prints "ready", runs until it is ended
//
// Each namespace gets a tun device. Who sets it up gives the first the address 10.77.0.1, the next
// 10.77.0.2 and so on: packets are switched by the last byte. All wait equally long, so they leave
// in the order in which they came, and a ring holds them; while it is full none is taken in.
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { HOSTS_MOST = 64, RING = 8192, PACKET_MOST = 10000, HEADER = 20, LAST_BYTE = 19 };

struct held {
    uint64_t due_ns;
    int to;
    size_t size;
    unsigned char *bytes;
};

static struct held ring[RING];
static unsigned head, tail; // held are those from head to tail
static struct pollfd ports[HOSTS_MOST];
static int hosts;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int fail(const char *what)
{
    perror(what);
    return -1;
}

// A device in the namespace; its descriptor, or -1.
static int plug_in(const char *namespace, const char *device)
{
    char path[256];
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    snprintf(path, sizeof path, "/run/netns/%s", namespace);
    int place = open(path, O_RDONLY | O_CLOEXEC);
    if (place < 0 || setns(place, CLONE_NEWNET) != 0)
        return fail(path);
    close(place);
    int port = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (port < 0)
        return fail("/dev/net/tun");
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", device);
    return ioctl(port, TUNSETIFF, &request) == 0 ? port : fail(device);
}

// Takes in what one host has sent, as long as there is room.
static void take_in(int from, uint64_t delay_ns)
{
    unsigned char bytes[PACKET_MOST];
    while (tail - head < RING) {
        ssize_t size = read(ports[from].fd, bytes, sizeof bytes);
        if (size < 0)
            return;
        int to = size > HEADER ? bytes[LAST_BYTE] - 1 : -1;
        if (to < 0 || to >= hosts || to == from || bytes[0] >> 4 != 4)
            continue;
        struct held held = {now_ns() + delay_ns, to, (size_t)size, malloc((size_t)size)};
        if (!held.bytes)
            return; // lost, as on a network
        memcpy(held.bytes, bytes, (size_t)size);
        ring[tail++ % RING] = held;
    }
}

static void hand_on(void)
{
    uint64_t now = now_ns();
    for (; head != tail && ring[head % RING].due_ns <= now; head++) {
        struct held *held = &ring[head % RING];
        if (write(ports[held->to].fd, held->bytes, held->size) < 0 && errno != EIO &&
            errno != EAGAIN)
            (void)fail("write");
        free(held->bytes);
    }
}

static void await(void)
{
    struct timespec left = {0}, *most = head != tail ? &left : NULL;
    if (most) {
        uint64_t now = now_ns(), due = ring[head % RING].due_ns;
        left.tv_nsec = (long)(due > now ? (due - now) % 1000000000u : 0);
        left.tv_sec = (time_t)(due > now ? (due - now) / 1000000000u : 0);
    }
    for (int i = 0; i < hosts; i++)
        ports[i].events = tail - head < RING ? POLLIN : 0;
    (void)ppoll(ports, (nfds_t)hosts, most, NULL);
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc - 3 > HOSTS_MOST)
        return 2;
    uint64_t delay_ns = strtoull(argv[1], NULL, 10) * 1000;
    for (hosts = 0; hosts < argc - 3; hosts++) {
        ports[hosts].fd = plug_in(argv[3 + hosts], argv[2]);
        if (ports[hosts].fd < 0)
            return 1;
    }
    prctl(PR_SET_TIMERSLACK, 1ul);
    printf("ready\n");
    fflush(stdout);
    for (;;) {
        await();
        for (int i = 0; i < hosts; i++)
            if (ports[i].revents & POLLIN)
                take_in(i, delay_ns);
        hand_on();
    }
}
