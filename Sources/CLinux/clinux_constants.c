// Read-only constants in programs that are linked statically with musl.

#include <features.h>

#ifndef __GLIBC__

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/// Makes the pages of PT_GNU_RELRO read-only (elf(5), mprotect(2)).
///
/// The dynamic loader does it for other programs. musl does not do it in a static one, where metadata and constants of
/// Swift could be overwritten otherwise. A kernel that refuses leaves the program as it was.
__attribute__((constructor)) static void clinux_protect_constants(void) {
    const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    unsigned long count = getauxval(AT_PHNUM);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    // Where the program is loaded, beyond the addresses in its file: 0 unless it can be loaded anywhere.
    size_t base = 0;
    for (unsigned long index = 0; headers && index < count; index++) {
        const ElfW(Phdr) *header = &headers[index];
        if (header->p_type == PT_PHDR) base = (size_t)headers - header->p_vaddr;
        if (header->p_type != PT_GNU_RELRO) continue;
        // A page that the segment shares with variables stays writable.
        size_t begin = (base + header->p_vaddr) & ~(page - 1);
        size_t end = (base + header->p_vaddr + header->p_memsz) & ~(page - 1);
        if (end > begin) (void)mprotect((void *)begin, end - begin, PROT_READ);
    }
}

#endif
