// SPDX-License-Identifier: Apache-2.0
// Mutexes, a semaphore and a condition: money goes between accounts while an auditor waits for the
// last transfer. At most four transfers are under way at a time.
#include <stdio.h>
#include <twill/twill.h>

enum { ACCOUNTS = 16, TRANSFERS = 20000, START = 1000 };

struct account {
    struct tw_mutex mutex;
    long balance;
};

struct bank {
    struct account account[ACCOUNTS];
    struct tw_semaphore desks;
    struct tw_mutex books;
    struct tw_condition closed;
    int transfers; // under books, like the next
    long audited;
};

// Locks are taken in the order of the accounts, so no two transfers wait for each other.
TW_TASK(transfer, {
    struct bank *bank;
    unsigned from, to;
    long amount;
})
{
    struct bank *bank = self.bank;
    unsigned low = self.from < self.to ? self.from : self.to;
    unsigned high = self.from < self.to ? self.to : self.from;
    tw_semaphore_acquire(&bank->desks);
    tw_mutex_lock(&bank->account[low].mutex);
    tw_mutex_lock(&bank->account[high].mutex);
    bank->account[self.from].balance -= self.amount;
    bank->account[self.to].balance += self.amount;
    tw_mutex_unlock(&bank->account[high].mutex);
    tw_mutex_unlock(&bank->account[low].mutex);
    tw_semaphore_release(&bank->desks, 1);

    tw_mutex_lock(&bank->books);
    if (++bank->transfers == TRANSFERS)
        tw_condition_broadcast(&bank->closed);
    tw_mutex_unlock(&bank->books);
}

TW_TASK(audit, { struct bank *bank; })
{
    struct bank *bank = self.bank;
    tw_mutex_lock(&bank->books);
    while (bank->transfers < TRANSFERS)
        tw_condition_wait(&bank->closed, &bank->books);
    for (int i = 0; i < ACCOUNTS; i++)
        bank->audited += bank->account[i].balance;
    tw_mutex_unlock(&bank->books);
}

TW_TASK(day, { struct bank *bank; })
{
    unsigned seed = 1;
    tw_finish {
        for (int i = 0; i < TRANSFERS; i++) {
            seed = seed * 1103515245u + 12345u;
            unsigned from = seed >> 16 & 15, to = (from + 1 + (seed >> 20) % 15) & 15;
            tw_async(transfer, .bank = self.bank, .from = from, .to = to, .amount = seed >> 24);
        }
        tw_async(audit, .bank = self.bank);
    }
}

int main(void)
{
    static struct bank bank = {
        .desks = TW_SEMAPHORE_INIT("desks", 4),
        .books = TW_MUTEX_INIT("books"),
        .closed = TW_CONDITION_INIT("closed"),
    };
    for (int i = 0; i < ACCOUNTS; i++) {
        tw_mutex_init(&bank.account[i].mutex, "account");
        bank.account[i].balance = START;
    }
    if (tw_run(day, .bank = &bank) != 0)
        return 1;
    printf("%d transfers, %ld in all accounts\n", bank.transfers, bank.audited);
    return bank.audited != (long)ACCOUNTS * START;
}
