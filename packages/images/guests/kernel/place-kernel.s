/*
 * Stands where a bzImage has its decompressor, in front of a kernel that is not compressed and lies where it will run: an
 * emulated processor needs seconds to decompress a kernel.
 *
 * Entered by the 32-bit boot protocol of Linux, at 1 MiB: protected mode, flat segments, no paging, no interrupts,
 * %esi = boot_params. Leaves by the 64-bit one, at the kernel's own first instruction, KERNEL_ENTRY.
 */
        .code32
        .text
        .globl  start
        .equ    here, 0x100000
start:
        /* The first 4 GiB as they are, in pages of 2 MiB; the tables' memory came with the file and is zero. */
        movl    $here + tables - start, %edi
        leal    0x1007(%edi), %eax
        movl    %eax, (%edi)
        leal    0x2007(%edi), %eax
        xorl    %ecx, %ecx
1:      movl    %eax, 0x1000(%edi, %ecx, 8)
        addl    $0x1000, %eax
        incl    %ecx
        cmpl    $4, %ecx
        jne     1b
        movl    $0x83, %eax
        xorl    %ecx, %ecx
1:      movl    %eax, 0x2000(%edi, %ecx, 8)
        addl    $0x200000, %eax
        incl    %ecx
        cmpl    $4 * 512, %ecx
        jne     1b

        lgdt    here + gdt - start
        movl    %cr4, %eax
        orl     $1 << 5, %eax                   /* physical address extension */
        movl    %eax, %cr4
        movl    %edi, %cr3
        movl    $0xc0000080, %ecx               /* EFER */
        rdmsr
        orl     $1 << 8, %eax                   /* long mode */
        wrmsr
        movl    %cr0, %eax
        orl     $1 << 31 | 1, %eax              /* paging */
        movl    %eax, %cr0
        ljmpl   $0x10, $KERNEL_ENTRY

        .balign 8
gdt:    .word   3 * 8 - 1                       /* where a null descriptor is due lies the table's own address */
        .long   here + gdt - start
        .word   0
        .quad   0x00cf92000000ffff              /* data */
        .quad   0x00af9a000000ffff              /* 64-bit code */

        .balign 0x1000
tables: .fill   6 * 0x1000, 1, 0
