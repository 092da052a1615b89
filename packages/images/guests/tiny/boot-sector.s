/*
 * The first sector of the tiny guest's disk: loads what lies behind it and starts it by Linux's 16-bit boot protocol. It
 * knows no file system and has no menu: a boot loader for everybody takes a second longer under emulation.
 *
 * Behind it lie, in this order, each in whole sectors: virtio-disk.c (VIRTIO_SECTORS), the kernel's real-mode part
 * (SETUP_SECTORS), the rest of the kernel (KERNEL_SECTORS), the initrd (INITRD_SECTORS), the command line (one). The
 * real-mode part says where the last two are put.
 */
        .code16
        .text
        .globl  start
        .equ    virtio_at, 0x8000
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

        movw    $small, %si
        call    load
        call    load_by_virtio
        testl   %eax, %eax
        jnz     1f
        movw    $large, %si
        call    load
1:
        cli
        movw    $setup_at >> 4, %ax
        movw    %ax, %ds
        movw    %ax, %es
        movw    %ax, %fs
        movw    %ax, %gs
        movw    %ax, %ss
        movw    $0xe000, %sp
        ljmpw   $(setup_at + 0x200) >> 4, $0

/* Loads the large parts without the BIOS. %eax = 0 where that can't be. */
load_by_virtio:
        cli
        lgdtl   gdt
        movl    %cr0, %eax
        incw    %ax
        movl    %eax, %cr0
        ljmpw   $0x10, $1f
        .code32
1:      movl    $8, %eax
        movl    %eax, %ds
        movl    %eax, %es
        movl    %eax, %ss
        movzwl  %sp, %esp
        pushl   $buffer_at
        pushl   $drive - start          /* what is not written to */
        pushl   $start
        pushl   $large
        movl    $virtio_at, %eax
        call    *%eax
        addl    $16, %esp
        movl    $0x20, %edx
        movl    %edx, %ss
        ljmpw   $0x18, $1f
        .code16
1:      movl    %cr0, %edx
        decw    %dx
        movl    %edx, %cr0
        ljmpw   $0, $1f
1:      xorw    %dx, %dx
        movw    %dx, %ds
        movw    %dx, %es
        movw    %dx, %ss
        sti
        ret

/* Loads the parts of the table at %si by the BIOS. */
load:
        lodsl
        movl    %eax, block
        lodsl
        movl    %eax, %ecx
        lodsl
        movl    %eax, %edi
        jecxz   9f
next:   movl    %ecx, %ebx
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
        pushl   %esi
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
        popl    %esi
        popl    %ecx
        sti

        subl    %ebx, %ecx
        jnz     next
        jmp     load
9:      ret

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

/* Parts: first sector, sectors, where to. */
        .balign 4
small:  .long   1, VIRTIO_SECTORS, virtio_at
        .long   1 + VIRTIO_SECTORS, SETUP_SECTORS, setup_at
        .long   0, 0, 0
        .equ    kernel_sector, 1 + VIRTIO_SECTORS + SETUP_SECTORS
large:  .long   kernel_sector, KERNEL_SECTORS, kernel_at
        .long   kernel_sector + KERNEL_SECTORS, INITRD_SECTORS, initrd_at
        .long   kernel_sector + KERNEL_SECTORS + INITRD_SECTORS, 1, buffer_at
        .long   0, 0, 0
request: .word  16
count:  .word   0, 0, buffer_at >> 4
block:  .quad   0
        .balign 8
gdt:    .word   5 * 8 - 1                       /* where a null descriptor is due lies the table's own address */
        .long   gdt
        .word   0
        .quad   0x00cf92000000ffff              /* 0x08: all memory */
        .quad   0x00cf9a000000ffff              /* 0x10: 32-bit code */
        .quad   0x00009a000000ffff              /* 0x18: 16-bit code */
        .quad   0x000092000000ffff              /* 0x20: 16-bit data */
        .org    510
        .word   0xaa55
