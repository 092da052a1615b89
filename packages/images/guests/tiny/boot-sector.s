/*
 * The first sector of the tiny guest's disk: loads what lies behind it and starts it by Linux's 16-bit boot protocol. It
 * knows no file system and has no menu: a boot loader for everybody takes a second longer under emulation.
 *
 * Behind it lie, in this order, each in whole sectors: the kernel's real-mode part (SETUP_SECTORS), the rest of the kernel
 * (KERNEL_SECTORS), the initrd (INITRD_SECTORS), the command line (one). The real-mode part says where these are put.
 */
        .code16
        .text
        .globl  start
        .equ    setup_at, 0x10000
        .equ    buffer_at, 0x20000
        .equ    kernel_at, 0x100000
        .equ    initrd_at, 0x4000000
        .equ    at_once, 127                    /* sectors: as many as every BIOS reads for one question */
start:
        xorw    %ax, %ax
        movw    %ax, %ds
        movw    %ax, %es
        movw    %ax, %ss
        movw    $start, %sp
        ljmpw   $0, $1f
1:      movb    %dl, drive

        movl    $SETUP_SECTORS, %ecx
        movl    $setup_at, %edi
        call    load
        movl    $KERNEL_SECTORS, %ecx
        movl    $kernel_at, %edi
        call    load
        movl    $INITRD_SECTORS, %ecx
        movl    $initrd_at, %edi
        call    load
        movl    $1, %ecx
        movl    $buffer_at, %edi
        call    load

        cli
        movw    $setup_at >> 4, %ax
        movw    %ax, %ds
        movw    %ax, %es
        movw    %ax, %fs
        movw    %ax, %gs
        movw    %ax, %ss
        movw    $0xe000, %sp
        ljmpw   $(setup_at + 0x200) >> 4, $0

/* Puts the next %ecx sectors of the disk to %edi. */
load:
        movl    %ecx, %ebx
        cmpl    $at_once, %ebx
        jbe     1f
        movl    $at_once, %ebx
1:      movw    %bx, count
        pushal
        movw    $request, %si
        movb    $0x42, %ah
        movb    drive, %dl
        int     $0x13
        popal
        jc      failed
        addl    %ebx, block

        /* A detour through protected mode lets real mode reach all memory. */
        cli
        pushl   %ecx
        lgdtl   gdt
        movl    %cr0, %eax
        incw    %ax
        movl    %eax, %cr0
        movw    $8, %dx
        movw    %dx, %ds
        movw    %dx, %es
        decw    %ax
        movl    %eax, %cr0
        xorw    %dx, %dx
        movw    %dx, %ds
        movw    %dx, %es
        movl    $buffer_at, %esi
        movl    %ebx, %ecx
        shll    $7, %ecx
        cld
        rep movsl (%esi), %es:(%edi)
        popl    %ecx
        sti

        subl    %ebx, %ecx
        jnz     load
        ret

failed: movw    $message, %si
1:      lodsb
        testb   %al, %al
        jz      2f
        movb    $0x0e, %ah
        int     $0x10
        jmp     1b
2:      hlt
        jmp     2b

message: .asciz "The disk cannot be read."
drive:  .byte   0
        .balign 8
request: .word  16
count:  .word   0, 0, buffer_at >> 4
block:  .quad   1
        .balign 8
gdt:    .word   2 * 8 - 1                       /* where a null descriptor is due lies the table's own address */
        .long   gdt
        .word   0
        .quad   0x00cf92000000ffff
        .org    510
        .word   0xaa55
