/*
 * Reads from the virtio disk that the tiny guest boots from, in as few requests as the disk takes. A BIOS answers 64 KiB
 * at a time, and each question costs an emulated processor milliseconds.
 *
 * Called by boot-sector.s in 32-bit protected mode with flat segments, without paging and interrupts, on one processor.
 * Structures and steps are those of the Virtual I/O Device specification 1.2: sections 4.1 (PCI), 2.7 (split
 * virtqueues), 3.1.1 (initialization) and 5.2 (block device).
 */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

enum { sector_bytes = 512, most_at_once = 8 << 20, queue_size = 4, last_function = 64 << 8 };

/* Where the file begins is where it is called. */
asm(".text\n jmp read_virtio_disk");

struct common {
        u32 device_feature_select, device_feature, driver_feature_select, driver_feature;
        u16 config_msix_vector, num_queues;
        u8 device_status, config_generation;
        u16 queue_select, queue_size, queue_msix_vector, queue_enable, queue_notify_off;
        u32 queue_desc[2], queue_driver[2], queue_device[2];
};

enum { acknowledge = 1, driver = 2, driver_ok = 4, features_ok = 8 };

struct descriptor {
        u64 address;
        u32 length;
        u16 flags, next;
};

enum { has_next = 1, device_writes = 2 };

struct request {
        u32 type, reserved;
        u64 sector;
};

/* What device and driver share; boot-sector.s keeps this memory free. */
static struct shared {
        struct descriptor descriptors[queue_size];
        struct {
                u16 flags, index, ring[queue_size];
        } available;
        struct request request;
        u8 status;
        struct {
                u16 flags, index;
                struct {
                        u32 id, length;
                } ring[queue_size];
        } used __attribute__((aligned(4)));
} *const shared = (void *)0x30000;

struct disk {
        volatile struct common *common;
        volatile u16 *notify;
};

static void out32(u16 port, u32 value) { asm volatile("outl %0, %1" ::"a"(value), "Nd"(port)); }

static u32 in32(u16 port)
{
        u32 value;
        asm volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
        return value;
}

static u32 config(u32 function, u32 offset)
{
        out32(0xcf8, 1u << 31 | function << 8 | (offset & ~3u));
        return in32(0xcfc) >> (offset & 3) * 8;
}

/* Null where it lies above 4 GiB or in no memory. */
static u8 *bar_address(u32 function, u32 bar)
{
        u32 at = 0x10 + 4 * bar, low = config(function, at);
        if (low & 1) return 0;
        if ((low & 6) == 4 && config(function, at + 4) != 0) return 0;
        return (u8 *)(low & ~15u);
}

/* Whether the function is a virtio disk of the modern kind that can be reached from here. */
static int find(u32 function, struct disk *disk)
{
        u32 id = config(function, 0), notify_unit = 0;
        u8 *notify = 0;
        disk->common = 0;
        if (id != 0x10421af4 && id != 0x10011af4) return 0;
        for (u32 at = config(function, 0x34) & 0xfc; at != 0; at = config(function, at + 1) & 0xfc) {
                u32 kind = config(function, at + 3) & 0xff;
                if ((config(function, at) & 0xff) != 9 || (kind != 1 && kind != 2)) continue;
                u8 *base = bar_address(function, config(function, at + 4) & 0xff);
                if (base == 0) continue;
                base += config(function, at + 8);
                if (kind == 1) {
                        disk->common = (void *)base;
                } else {
                        notify = base;
                        notify_unit = config(function, at + 16);
                }
        }
        if (disk->common == 0 || notify == 0) return 0;
        disk->common->queue_select = 0;
        disk->notify = (void *)(notify + disk->common->queue_notify_off * notify_unit);
        return 1;
}

static void start(const struct disk *disk)
{
        volatile struct common *common = disk->common;
        for (u32 i = 0; i < sizeof *shared; i++) ((u8 *)shared)[i] = 0;
        common->device_status = 0;
        while (common->device_status != 0) continue;
        common->device_status = acknowledge | driver;
        common->driver_feature_select = 0;
        common->driver_feature = 0;
        common->driver_feature_select = 1;
        common->driver_feature = 1; /* of version 1 */
        common->device_status = acknowledge | driver | features_ok;
        common->queue_select = 0;
        common->queue_size = queue_size;
        common->queue_desc[0] = (u32)shared->descriptors;
        common->queue_desc[1] = 0;
        common->queue_driver[0] = (u32)&shared->available;
        common->queue_driver[1] = 0;
        common->queue_device[0] = (u32)&shared->used;
        common->queue_device[1] = 0;
        common->queue_enable = 1;
        common->device_status = acknowledge | driver | features_ok | driver_ok;
}

/* Whether the sectors came. */
static int read(const struct disk *disk, u32 sector, u32 sectors, u8 *to)
{
        volatile struct shared *s = shared;
        while (sectors > 0) {
                u32 bytes = sectors < most_at_once / sector_bytes ? sectors * sector_bytes : most_at_once;
                s->request = (struct request){.sector = sector};
                s->status = 0xff;
                s->descriptors[0] = (struct descriptor){(u32)&s->request, sizeof s->request, has_next, 1};
                s->descriptors[1] = (struct descriptor){(u32)to, bytes, has_next | device_writes, 2};
                s->descriptors[2] = (struct descriptor){(u32)&s->status, 1, device_writes, 0};
                u16 asked = s->available.index + 1;
                asm volatile("" ::: "memory");
                s->available.index = asked;
                *disk->notify = 0;
                while (s->used.index != asked) asm volatile("pause" ::: "memory");
                if (s->status != 0) return 0;
                sector += bytes / sector_bytes;
                sectors -= bytes / sector_bytes;
                to += bytes;
        }
        return 1;
}

static int is_same(const u8 *one, const u8 *other, u32 bytes)
{
        while (bytes > 0 && *one == *other) one++, other++, bytes--;
        return bytes == 0;
}

struct part {
        u32 sector, sectors;
        u8 *to;
};

/*
 * Reads parts, the last of which has no sectors, from the disk that begins with these bytes. `buffer` takes a sector.
 * Answers 0 where there is no such virtio disk; the BIOS can no longer read a disk that was tried.
 */
__attribute__((used)) static int read_virtio_disk(const struct part *part, const u8 *begin, u32 bytes, u8 *buffer)
{
        for (u32 function = 0; function < last_function; function++) {
                struct disk disk;
                if (!find(function, &disk)) continue;
                start(&disk);
                if (!read(&disk, 0, 1, buffer) || !is_same(begin, buffer, bytes)) continue;
                while (part->sectors > 0 && read(&disk, part->sector, part->sectors, part->to)) part++;
                disk.common->device_status = 0;
                return part->sectors == 0;
        }
        return 0;
}
