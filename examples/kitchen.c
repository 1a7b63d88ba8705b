// SPDX-License-Identifier: Apache-2.0
// Objects that come and go with their owner: a kitchen with two stoves, a bell and a book. Cooks
// wait for a stove, look into the book only if nobody else does, and ring when a dish is ready.
#include <stdio.h>
#include <twill/twill.h>

enum { COOKS = 8 };

struct kitchen {
    struct tw_semaphore stoves;
    struct tw_mutex counter, book;
    struct tw_condition bell;
    int ready, served, looked;
};

TW_TASK(cook, { struct kitchen *kitchen; })
{
    struct kitchen *k = self.kitchen;
    if (!tw_semaphore_try(&k->stoves))
        tw_semaphore_acquire(&k->stoves);
    if (tw_mutex_trylock(&k->book)) {
        k->looked++;
        tw_mutex_unlock(&k->book);
    }
    tw_semaphore_release(&k->stoves, 1);
    tw_mutex_lock(&k->counter);
    k->ready++;
    tw_condition_signal(&k->bell);
    tw_mutex_unlock(&k->counter);
}

#ifndef TWILL_SERIAL // there a wait that nobody can end would be one for ever
TW_TASK(serve, { struct kitchen *kitchen; })
{
    struct kitchen *k = self.kitchen;
    tw_mutex_lock(&k->counter);
    while (k->served < COOKS) {
        while (k->ready == 0)
            tw_condition_wait(&k->bell, &k->counter);
        k->ready--;
        k->served++;
    }
    tw_mutex_unlock(&k->counter);
}
#endif

TW_TASK(evening, { struct kitchen *kitchen; })
{
    struct kitchen *k = self.kitchen;
    tw_semaphore_init(&k->stoves, "stoves", 2);
    tw_mutex_init(&k->counter, "counter");
    tw_mutex_init(&k->book, "book");
    tw_condition_init(&k->bell, "bell");
    tw_finish {
#ifndef TWILL_SERIAL
        tw_async(serve, .kitchen = k);
#endif
        for (int i = 0; i < COOKS; i++)
            tw_async(cook, .kitchen = k);
    }
    tw_condition_destroy(&k->bell);
    tw_mutex_destroy(&k->book);
    tw_mutex_destroy(&k->counter);
    tw_semaphore_destroy(&k->stoves);
}

int main(void)
{
    struct kitchen kitchen = {.ready = 0};
    if (tw_run(evening, .kitchen = &kitchen) != 0)
        return 1;
    printf("%d dishes, the book was read %d times\n", kitchen.ready + kitchen.served,
           kitchen.looked);
    return kitchen.ready + kitchen.served != COOKS;
}
