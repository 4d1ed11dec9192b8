/* SPDX-License-Identifier: Apache-2.0
 * NPZ: a zip of stored .npy arrays, one a column (of a field rows by nodes), then the estimated errors in the same
 * order, then the places of fields, then the list of events by its columns. */
#include "result/output.h"
#include "result/table.h"

#include <math.h>
#include <string.h>

enum { HEADER = 128, BLOCK = 1024, UTF8_NAME = 1 << 11, OLD = 20, ZIP64 = 45, DATE_1980 = 0x21 };
static const uint64_t MOST32 = 0xFFFFFFFF, MOST16 = 0xFFFF; /* these values themselves mean "see the zip64 field" */

/* nodes 0: one dimension; text: in place of data, `width` characters of four bytes each */
struct member {
    const char *name;
    size_t length;
    const double *data;
    const char *const *text;
    uint64_t count, nodes, width, offset;
    uint32_t crc;
};

static void npz_put(struct actio_text *t, uint64_t value, int bytes)
{
    for (; bytes > 0; bytes--, value >>= 8) actio_text_bytes(t, &(char){ (char)(value & 0xFF) }, 1);
}

static void make_crc_table(uint32_t table[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
}

static uint32_t crc_of(const uint32_t table[256], uint32_t crc, const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) crc = table[(crc ^ p[i]) & 0xFF] ^ (crc >> 8);
    return crc;
}

/* Little-endian on every machine. Returns how many bytes. */
static size_t pack(unsigned char *out, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], 8);
        for (int b = 0; b < 8; b++) out[8 * i + (size_t)b] = (unsigned char)(bits >> 8 * b);
    }
    return 8 * n;
}

/* The .npy header: magic, version 1.0, a Python dictionary padded to HEADER bytes. */
static void npy_header(struct actio_text *t, const struct member *m)
{
    actio_text_bytes(t, "\x93NUMPY\x01\x00", 8);
    npz_put(t, HEADER - 10, 2);
    size_t from = t->length;
    if (m->text) actio_text_format(t, "{'descr': '<U%llu', ", (unsigned long long)m->width);
    else actio_text_add(t, "{'descr': '<f8', ");
    actio_text_add(t, "'fortran_order': False, 'shape': ");
    if (m->nodes)
        actio_text_format(t, "(%llu, %llu), }", (unsigned long long)(m->count / m->nodes),
                          (unsigned long long)m->nodes);
    else actio_text_format(t, "(%llu,), }", (unsigned long long)m->count);
    while (t->length - from < HEADER - 10 - 1) actio_text_bytes(t, " ", 1);
    actio_text_bytes(t, "\n", 1);
}

/* The next character of a text in UTF-8, 0 at its end; what is not UTF-8 byte by byte. */
static uint32_t next_character(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    int more = s[0] >= 0xF0 ? 3 : s[0] >= 0xE0 ? 2 : s[0] >= 0xC0 ? 1 : 0, k = 1;
    uint32_t c = more ? s[0] & (0x3Fu >> more) : s[0];
    for (; k <= more && (s[k] & 0xC0) == 0x80; k++) c = c << 6 | (s[k] & 0x3Fu);
    if (k <= more) c = s[0];
    *text += s[0] == 0 ? 0 : k <= more ? 1 : k;
    return c;
}

static uint64_t characters(const char *text)
{
    uint64_t n = 0;
    while (next_character(&text)) n++;
    return n;
}

static void add_text(struct actio_text *t, const struct member *m, uint64_t i)
{
    const char *s = m->text[i];
    for (uint64_t k = 0; k < m->width; k++) npz_put(t, next_character(&s), 4);
}

static uint32_t crc_of_texts(const uint32_t table[256], uint32_t crc, const struct member *m,
                             struct actio_text *scratch)
{
    for (uint64_t i = 0; i < m->count; i++) {
        scratch->length = 0;
        add_text(scratch, m, i);
        crc = crc_of(table, crc, (const unsigned char *)scratch->s, scratch->length);
    }
    return crc;
}

static uint32_t crc_of_member(const uint32_t table[256], const struct member *m, struct actio_text *scratch)
{
    unsigned char bytes[8 * BLOCK];
    scratch->length = 0;
    npy_header(scratch, m);
    uint32_t crc = crc_of(table, 0xFFFFFFFF, (const unsigned char *)scratch->s, HEADER);
    if (m->text) return ~crc_of_texts(table, crc, m, scratch);
    for (uint64_t i = 0; i < m->count; i += BLOCK) {
        size_t n = m->count - i < BLOCK ? (size_t)(m->count - i) : BLOCK;
        crc = crc_of(table, crc, bytes, pack(bytes, m->data + i, n));
    }
    return ~crc;
}

static uint64_t npz_size_of(const struct member *m) { return HEADER + (m->text ? 4 * m->width : 8) * m->count; }
static uint64_t capped(uint64_t x, uint64_t most) { return x < most ? x : most; }

/* The fields that local and central headers share, from "version needed" to the length of the extra field. */
static void common_header(struct actio_text *t, const struct member *m, bool large, size_t extra)
{
    npz_put(t, large ? ZIP64 : OLD, 2);
    npz_put(t, UTF8_NAME, 2);
    npz_put(t, 0, 4);         /* stored; midnight */
    npz_put(t, DATE_1980, 2); /* a fixed date: equal results make equal files */
    npz_put(t, m->crc, 4);
    npz_put(t, capped(npz_size_of(m), MOST32), 4);
    npz_put(t, capped(npz_size_of(m), MOST32), 4);
    npz_put(t, m->length + 4, 2);
    npz_put(t, extra, 2);
}

static void add_member_name(struct actio_text *t, const struct member *m)
{
    actio_text_bytes(t, m->name, m->length);
    actio_text_add(t, ".npy");
}

static void local_header(struct actio_text *t, const struct member *m)
{
    bool large = npz_size_of(m) >= MOST32;
    npz_put(t, 0x04034b50, 4);
    common_header(t, m, large, large ? 20 : 0);
    add_member_name(t, m);
    if (!large) return;
    npz_put(t, 1, 2);
    npz_put(t, 16, 2);
    npz_put(t, npz_size_of(m), 8);
    npz_put(t, npz_size_of(m), 8);
}

static void central_header(struct actio_text *t, const struct member *m)
{
    bool large = npz_size_of(m) >= MOST32, far = m->offset >= MOST32;
    size_t fields = (large ? 16u : 0u) + (far ? 8u : 0u);
    npz_put(t, 0x02014b50, 4);
    npz_put(t, ZIP64, 2);
    common_header(t, m, large || far, fields ? fields + 4 : 0);
    npz_put(t, 0, 2 + 2 + 2 + 4); /* no comment, disk 0, no attributes */
    npz_put(t, capped(m->offset, MOST32), 4);
    add_member_name(t, m);
    if (!fields) return;
    npz_put(t, 1, 2);
    npz_put(t, fields, 2);
    if (large) {
        npz_put(t, npz_size_of(m), 8);
        npz_put(t, npz_size_of(m), 8);
    }
    if (far) npz_put(t, m->offset, 8);
}

static void end_of_zip(struct actio_text *t, uint64_t members, uint64_t from, uint64_t to)
{
    if (members >= MOST16 || from >= MOST32 || to - from >= MOST32) {
        npz_put(t, 0x06064b50, 4); /* zip64 end of central directory, then its locator */
        npz_put(t, 44, 8);
        npz_put(t, ZIP64, 2);
        npz_put(t, ZIP64, 2);
        npz_put(t, 0, 8);
        npz_put(t, members, 8);
        npz_put(t, members, 8);
        npz_put(t, to - from, 8);
        npz_put(t, from, 8);
        npz_put(t, 0x07064b50, 4);
        npz_put(t, 0, 4);
        npz_put(t, to, 8);
        npz_put(t, 1, 4);
    }
    npz_put(t, 0x06054b50, 4);
    npz_put(t, 0, 4);
    npz_put(t, capped(members, MOST16), 2);
    npz_put(t, capped(members, MOST16), 2);
    npz_put(t, capped(to - from, MOST32), 4);
    npz_put(t, capped(from, MOST32), 4);
    npz_put(t, 0, 2);
}

static uint64_t position(const struct actio_output *out) { return out->passed + out->text.length; }

static void write_member(struct actio_output *out, struct member *m)
{
    unsigned char bytes[8 * BLOCK];
    m->offset = position(out);
    local_header(&out->text, m);
    npy_header(&out->text, m);
    for (uint64_t i = 0; m->text && i < m->count && !out->error; i++) {
        add_text(&out->text, m, i);
        actio_output_drain(out);
    }
    for (uint64_t i = 0; !m->text && i < m->count && !out->error; i += BLOCK) {
        size_t n = m->count - i < BLOCK ? (size_t)(m->count - i) : BLOCK;
        actio_text_bytes(&out->text, (const char *)bytes, pack(bytes, m->data + i, n));
        actio_output_drain(out);
    }
}

/* "error", with underscores in front where a column has that name already. */
static const char *error_name(const struct actio_table *table, struct actio_arena *arena)
{
    char *name = actio_arena_text(arena, "error", 5);
    while (actio_table_find(table, name) < table->cols) name = actio_arena_format(arena, "_%s", name);
    return name;
}

static struct member member(const char *name, const double *data, size_t rows, size_t nodes)
{
    return (struct member){ .name = name,
                            .length = capped(strlen(name), MOST16 - 4),
                            .data = data,
                            .count = rows * (nodes ? nodes : 1),
                            .nodes = nodes };
}

static struct member events_member(const struct actio_table *table, const struct actio_event_list *l,
                                   struct actio_arena *arena)
{
    struct member m = member(actio_arena_format(arena, "events.%s", l->name), l->number, table->events, l->nodes);
    m.text = l->text;
    m.width = 1;
    for (size_t i = 0; l->text && i < table->events; i++) {
        uint64_t width = characters(l->text[i]);
        if (width > m.width) m.width = width;
    }
    return m;
}

/* No column's name begins with "axis." or "events." */
static struct member *make_members(const struct actio_table *table, struct actio_arena *arena, size_t *count)
{
    struct actio_placement *place;
    struct actio_event_list list[ACTIO_EVENT_COLUMNS];
    size_t places = actio_table_placements(table, arena, &place), n = 0,
           lists = table->events ? actio_events_columns(table, arena, list) : 0;
    struct member *m = actio_arena_array(arena, table->cols + 1 + places + lists, sizeof *m);
    double *errors = actio_arena_array(arena, table->cols, sizeof *errors);
    for (; n < table->cols; n++) {
        m[n] = member(table->col[n].name, table->data[n], table->rows, table->col[n].nodes);
        errors[n] = actio_table_error_of(table, n);
    }
    m[n++] = member(error_name(table, arena), errors, table->cols, 0);
    for (size_t i = 0; i < places; i++)
        m[n++] = member(actio_arena_format(arena, "axis.%s", place[i].name), place[i].place, place[i].nodes, 0);
    for (size_t i = 0; i < lists; i++) m[n++] = events_member(table, &list[i], arena);
    *count = n;
    return m;
}

static void npz_fill(struct actio_output *out, const void *user)
{
    const struct actio_table *table = user;
    uint32_t crc_table[256];
    struct actio_text scratch;
    size_t count;
    struct member *m = make_members(table, out->text.arena, &count);
    make_crc_table(crc_table);
    actio_text_open(&scratch, out->text.arena);
    for (size_t c = 0; c < count && !out->error; c++) {
        m[c].crc = crc_of_member(crc_table, &m[c], &scratch);
        write_member(out, &m[c]);
    }
    uint64_t from = position(out);
    for (size_t c = 0; c < count; c++) {
        central_header(&out->text, &m[c]);
        actio_output_drain(out);
    }
    end_of_zip(&out->text, count, from, position(out));
}

static int write_npz(struct actio_context *ctx, const struct actio_table *table, const char *path,
                     struct actio_findings *f)
{
    return actio_output_write(ctx, path, npz_fill, table, f);
}

const struct actio_writer actio_write_npz = { ".npz", "NumPy arrays", write_npz };
