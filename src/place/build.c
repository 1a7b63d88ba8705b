// SPDX-License-Identifier: Apache-2.0
// See build.h. A linker writes a note with a hash of all that it has linked into what it makes
// (ld --build-id, which Debian's compilers ask for).
#include "place/build.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include <twill/runtime.h>

#include "place/mix.h"

struct search {
    uint64_t sum;
    unsigned modules; // seen; the program is the first
};

static uint64_t mix_notes(uint64_t sum, const unsigned char *at, size_t size)
{
    const size_t align = 4;
    while (size >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, at, sizeof note);
        size_t name = (note.n_namesz + align - 1) & -align;
        size_t length = sizeof note + name + ((note.n_descsz + align - 1) & -align);
        if (length > size)
            break;
        const unsigned char *id = at + sizeof note + name;
        for (size_t i = 0; note.n_type == NT_GNU_BUILD_ID && i < note.n_descsz; i++)
            sum = twi_mix(sum, id[i]);
        at += length;
        size -= length;
    }
    return sum;
}

static int holds(const struct dl_phdr_info *module, const void *address)
{
    for (size_t i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        if (part->p_type == PT_LOAD &&
            (uintptr_t)address - module->dlpi_addr - part->p_vaddr < part->p_memsz)
            return 1;
    }
    return 0;
}

static int look(struct dl_phdr_info *module, size_t size, void *search_of)
{
    static const char here;
    struct search *search = search_of;
    (void)size;
    if (search->modules++ > 0 && !holds(module, &here))
        return 0;
    for (size_t i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        if (part->p_type == PT_NOTE)
            search->sum =
                mix_notes(search->sum, (const unsigned char *)(module->dlpi_addr + part->p_vaddr),
                          part->p_memsz);
    }
    return 0;
}

uint64_t twi_build_sum(void)
{
    struct search search = {.sum = twi_mix_text(0, TW_VERSION)};
    dl_iterate_phdr(look, &search);
    return search.sum;
}
