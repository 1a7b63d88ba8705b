// SPDX-License-Identifier: Apache-2.0
// The mailbox (src/core/mailbox.h): nothing lost, nothing taken twice, and a taker sees all that
// was done before the put, however the same mails come and go.
#include <string.h>

#include "core/mailbox.h"

enum { MAILS = 3 };

struct item {
    char before[1280]; // twi_fiber_offset
    struct twi_mail mail;
    uint32_t content; // plain: of who holds the mail
} __attribute__((aligned(1 << TWI_FIBER_SHIFT)));

static struct item items[MAILS];
static struct twi_mailbox box;

static struct {
    unsigned char held[MAILS];
    unsigned char puts, takes;
} ghost;

static struct item *item_of(struct twi_mail *mail)
{
    return (struct item *)((char *)mail - offsetof(struct item, mail));
}

static void setup(void)
{
    for (int i = 0; i < MAILS; i++) {
        items[i].mail.next = NULL;
        items[i].content = 0;
        model_name(&items[i].mail.next, "next[%d]", i);
        model_name(&items[i].content, "content[%d]", i);
    }
    box.newest = 0;
    model_name(&box.newest, "newest");
}

static void setup_full(void)
{
    setup();
    for (int i = 0; i + 1 < MAILS; i++)
        items[i].mail.next = &items[i + 1].mail;
    box.newest = twi_mail_pack(0, &items[0].mail);
    ghost.puts = MAILS;
}

static void put(struct item *item)
{
    TWI_WRITE(item->content, item->content + 1);
    ghost.held[item - items] = 0;
    ghost.puts++;
    twi_mailbox_put(&box, &item->mail);
}

static struct item *hold(struct twi_mail *mail)
{
    if (!mail)
        return NULL;
    struct item *item = item_of(mail);
    long i = item - items;
    model_assert(!ghost.held[i], "mail %ld was taken twice", i);
    ghost.held[i] = 1;
    ghost.takes++;
    TWI_WRITE(item->content, TWI_READ(item->content) + 1);
    return item;
}

static struct item *take(void)
{
    return hold(twi_mailbox_take(&box));
}

// As a thief does: what it does not need at once goes back, here to the same box.
static void take_half(unsigned most)
{
    struct twi_chain rest = {NULL, NULL};
    struct twi_mail *mail = twi_mailbox_take_half(&box, most, &rest);
    hold(mail);
    if (mail && rest.first)
        twi_mailbox_put_chain(&box, &rest);
}

// What is left in the box, with what was taken out, is what was put in.
static void check_all_there(void)
{
    int left = 0;
    for (struct twi_mail *m = twi_mail_unpack(box.newest); m && left <= MAILS; m = m->next) {
        model_assert(!ghost.held[item_of(m) - items], "a mail is both held and in the box");
        left++;
    }
    model_assert(left + ghost.takes == ghost.puts, "%d put, %d taken, %d left", ghost.puts,
                 ghost.takes, left);
}

static void put_put_take_take(int id)
{
    if (id < 2)
        put(&items[id]);
    else
        take();
}

// Whoever takes waits for a mail: each gets one.
static void take_waits(int id)
{
    if (id < 2) {
        put(&items[id]);
        return;
    }
    while (twi_mailbox_empty(&box))
        TWI_PAUSE();
    take();
}

// Between a taker's look and its swap both mails are taken and the first is put back.
static void put_back(int id)
{
    if (id == 0) {
        take();
        return;
    }
    struct item *first = take();
    take();
    if (first)
        put(first);
    take();
}

static void put_back_both(int id)
{
    struct item *item = take();
    if (item && id > 0)
        put(item);
}

// While a thief walks along the links, mails are taken and put back in another order.
static void half_while_put_back(int id)
{
    if (id == 0) {
        take_half(2);
        return;
    }
    struct item *first = take(), *second = take();
    if (first)
        put(first);
    if (second)
        put(second);
}

// What a thief took comes back in another order before its neighbour has looked again.
static void half_put_back(int id)
{
    if (id == 1) {
        take();
        return;
    }
    struct twi_chain rest = {NULL, NULL};
    struct item *first = hold(twi_mailbox_take_half(&box, 2, &rest));
    if (first)
        put(first);
    if (first && rest.first)
        twi_mailbox_put_chain(&box, &rest);
}

static void two_halves(int id)
{
    if (id < 2)
        take_half(2);
    else
        take();
}

#define PROGRAM(test, count, before)                                                               \
    {                                                                                              \
        .name = #test, .threads = count, .setup = before, .thread = test,                          \
        .check = check_all_there, .ghost = &ghost, .ghost_size = sizeof ghost,                     \
    }

static const struct model_program programs[] = {
    PROGRAM(put_put_take_take, 4, setup),
    PROGRAM(take_waits, 4, setup),
    PROGRAM(put_back, 2, setup_full),
    PROGRAM(put_back_both, 3, setup_full),
    PROGRAM(half_while_put_back, 2, setup_full),
    PROGRAM(half_put_back, 2, setup_full),
    PROGRAM(two_halves, 3, setup_full),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}
