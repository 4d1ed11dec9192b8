/* SPDX-License-Identifier: Apache-2.0
 * HDF5: one data set a column, of a field rows by nodes, with unit, role, meaning and error; places of fields in a
 * group; the run itself in attributes of the root. */
#include "native/native.h"
#include "result/output.h"
#include "result/table.h"

#include <errno.h>
#include <hdf5.h>
#include <string.h>

/* Each step is skipped after the first failure, so that the end looks at one flag. */
struct file {
    hid_t id;
    bool bad;
};

static bool done(struct file *file, hid_t id) { return id < 0 ? (file->bad = true, false) : true; }

static void attribute(struct file *file, hid_t on, const char *name, hid_t type, hid_t space, const void *value)
{
    if (file->bad) return;
    hid_t a = H5Acreate2(on, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (!done(file, a)) return;
    done(file, H5Awrite(a, type, value));
    done(file, H5Aclose(a));
}

static void number_attribute(struct file *file, hid_t on, const char *name, double value)
{
    hid_t one = H5Screate(H5S_SCALAR);
    attribute(file, on, name, H5T_NATIVE_DOUBLE, one, &value);
    H5Sclose(one);
}

static void count_attribute(struct file *file, hid_t on, const char *name, size_t value)
{
    hid_t one = H5Screate(H5S_SCALAR);
    uint64_t v = value;
    attribute(file, on, name, H5T_NATIVE_UINT64, one, &v);
    H5Sclose(one);
}

static hid_t text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

/* Variable length, so that a model text may be longer than the 64 KiB of an attribute. */
static void text_attribute(struct file *file, hid_t on, const char *name, const char *value)
{
    hid_t one = H5Screate(H5S_SCALAR), type = text_type();
    if (!value) value = "";
    attribute(file, on, name, type, one, &value);
    H5Tclose(type);
    H5Sclose(one);
}

/* A data set of its own, with nodes one of two dimensions; the caller closes it. Names are taken as they are: none has
 * a slash. */
static hid_t hdf5_array(struct file *file, hid_t in, const char *name, hid_t type, const void *data, size_t rows,
                        size_t nodes)
{
    hsize_t size[] = { rows, nodes };
    hid_t space = H5Screate_simple(nodes ? 2 : 1, size, NULL), link = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_char_encoding(link, H5T_CSET_UTF8);
    hid_t set = file->bad ? -1 : H5Dcreate2(in, name, type, space, link, H5P_DEFAULT, H5P_DEFAULT);
    if (done(file, set) && rows) done(file, H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    H5Pclose(link);
    H5Sclose(space);
    return set;
}

struct job {
    const struct actio_table *table;
    char *rows;
    struct actio_event_list list[ACTIO_EVENT_COLUMNS];
    size_t lists;
    struct actio_placement *place;
    size_t places;
};

/* Free whatever the model calls its own. */
static const char *group_name(const struct actio_table *table)
{
    return actio_table_find(table, "axis") < table->cols ? "axis." : "axis";
}

static void hdf5_add_column(struct file *file, const struct job *job, size_t c)
{
    const struct actio_table *table = job->table;
    const struct actio_column *col = &table->col[c];
    hid_t set = hdf5_array(file, file->id, col->name, H5T_NATIVE_DOUBLE, table->data[c], table->rows, col->nodes);
    if (set < 0) return;
    text_attribute(file, set, "unit", col->unit);
    text_attribute(file, set, "role", actio_role_heading(col->role));
    text_attribute(file, set, "meaning", col->meaning);
    number_attribute(file, set, "error", actio_table_error_of(table, c));
    count_attribute(file, set, "column", c); /* HDF5 lists names in its own order */
    if (col->nodes) {
        text_attribute(file, set, "axis", col->axis);
        /* of the group */
        text_attribute(file, set, "places", job->place[actio_placement_of(job->place, job->places, col)].name);
    }
    done(file, H5Dclose(set));
}

static void add_places(struct file *file, const struct job *job)
{
    if (!job->places || file->bad) return;
    hid_t group = H5Gcreate2(file->id, group_name(job->table), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (!done(file, group)) return;
    for (size_t i = 0; i < job->places; i++) {
        hid_t set =
            hdf5_array(file, group, job->place[i].name, H5T_NATIVE_DOUBLE, job->place[i].place, job->place[i].nodes, 0);
        if (set >= 0) {
            text_attribute(file, set, "axis", job->place[i].axis);
            done(file, H5Dclose(set));
        }
    }
    done(file, H5Gclose(group));
}

/* ---- events: a compound array, whose rows are packed into `rows` */

static size_t bytes_of(const struct actio_event_list *l)
{
    return l->text ? sizeof(char *) : (l->nodes ? l->nodes : 1) * sizeof(double);
}

static size_t bytes_of_all(const struct actio_event_list *list, size_t count)
{
    size_t bytes = 0;
    for (size_t c = 0; c < count; c++) bytes += bytes_of(&list[c]);
    return bytes;
}

static hid_t event_type(hid_t text, const struct actio_event_list *list, size_t count)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, bytes_of_all(list, count));
    size_t offset = 0;
    for (size_t c = 0; c < count; c++) {
        hsize_t nodes = list[c].nodes;
        hid_t array = nodes ? H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &nodes) : -1;
        H5Tinsert(type, list[c].name, offset, list[c].text ? text : nodes ? array : H5T_NATIVE_DOUBLE);
        if (nodes) H5Tclose(array);
        offset += bytes_of(&list[c]);
    }
    return type;
}

static void pack_events(const struct actio_table *table, const struct actio_event_list *list, size_t count, char *to)
{
    for (size_t i = 0; i < table->events; i++)
        for (size_t c = 0; c < count; c++) {
            const struct actio_event_list *l = &list[c];
            size_t bytes = bytes_of(l);
            if (l->text) memcpy(to, &l->text[i], bytes);
            else memcpy(to, l->number + i * (l->nodes ? l->nodes : 1), bytes);
            to += bytes;
        }
}

/* Free whatever the model calls its own. */
static const char *events_name(const struct actio_table *table)
{
    return actio_table_find(table, "events") < table->cols ? "events." : "events";
}

static void add_events(struct file *file, const struct actio_table *table, const struct job *job)
{
    hid_t text = text_type(), type = event_type(text, job->list, job->lists);
    hid_t set = hdf5_array(file, file->id, events_name(table), type, job->rows, table->events, 0);
    if (set >= 0) done(file, H5Dclose(set));
    H5Tclose(type);
    H5Tclose(text);
}

/* Names and values of settings: h5py shows a compound array. */
static void settings_attribute(struct file *file, const char *name, const struct actio_setting *settings, size_t count)
{
    hsize_t size = count;
    hid_t text = text_type(), type = H5Tcreate(H5T_COMPOUND, sizeof *settings),
          space = H5Screate_simple(1, &size, NULL);
    H5Tinsert(type, "name", HOFFSET(struct actio_setting, name), text);
    H5Tinsert(type, "value", HOFFSET(struct actio_setting, value), H5T_NATIVE_DOUBLE);
    if (count) attribute(file, file->id, name, type, space, settings);
    H5Sclose(space);
    H5Tclose(type);
    H5Tclose(text);
}

static void add_run(struct file *file, const struct actio_table *table)
{
    const struct {
        const char *name, *value;
    } texts[] = {
        { "model", table->from.model },     { "description", table->from.description },
        { "file", table->from.file },       { "source", table->from.source },
        { "by", table->from.by },           { "method", table->from.method },
        { "version", table->from.version }, { "tier", table->from.tier },
    };
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        { "tol", table->tol },
        { "local", table->local },
        { "holds_until", table->holds_until },
        { "energy_drift", table->energy_drift },
        { "residual", table->residual },
        { "seconds", table->seconds },
    };
    const struct {
        const char *name;
        size_t value;
    } counts[] = {
        { "reached", table->reached },
        { "local_only", table->local_only },
        { "status", (size_t)table->status },
        { "steps", table->steps },
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_attribute(file, file->id, texts[i].name, texts[i].value);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        number_attribute(file, file->id, numbers[i].name, numbers[i].value);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        count_attribute(file, file->id, counts[i].name, counts[i].value);
    settings_attribute(file, "params", table->from.param, table->from.params);
    settings_attribute(file, "starts", table->from.start, table->from.starts);
}

/* About how long the file becomes. */
static size_t estimate(const struct actio_table *table)
{
    size_t texts = (table->from.source ? strlen(table->from.source) : 0)
                   + (table->from.description ? strlen(table->from.description) : 0);
    size_t numbers = 0;
    for (size_t c = 0; c < table->cols; c++)
        numbers += table->rows * actio_column_width(&table->col[c]) + 2 * table->col[c].nodes;
    return 65536 + texts + 8 * numbers + 4096 * table->cols + (160 + 24 * table->coords) * table->events
           + 128 * (table->from.params + table->from.starts);
}

/* In memory: HDF5 1.10 crashes at exit when a disk was full at close, and so any kind of output will do.
 * Version 1.8's format, since attributes may be large in it. */
static hid_t create(size_t size)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, size / 8, 0);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    hid_t id = H5Fcreate("actio", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return id;
}

/* The memory behind the file goes out without being copied. */
static void pass_image(struct file *file, struct actio_output *out)
{
    void *image = NULL;
    ssize_t size = -1;
    if (!file->bad && H5Fflush(file->id, H5F_SCOPE_GLOBAL) >= 0
        && H5Fget_vfd_handle(file->id, H5P_DEFAULT, &image) >= 0)
        size = H5Fget_file_image(file->id, NULL, 0);
    if (size > 0 && image) actio_output_bytes(out, *(const char **)image, (size_t)size);
    else file->bad = true;
}

static bool write_all(struct actio_output *out, const struct job *job)
{
    struct file file = { .id = create(estimate(job->table)) };
    if (!done(&file, file.id)) return false;
    add_run(&file, job->table);
    for (size_t c = 0; c < job->table->cols && !file.bad; c++) hdf5_add_column(&file, job, c);
    add_places(&file, job);
    add_events(&file, job->table, job);
    pass_image(&file, out);
    H5Fclose(file.id);
    return !file.bad;
}

/* The library prints its errors unless disabled; what the caller had set comes back afterwards. */
static void hdf5_fill(struct actio_output *out, const void *user)
{
    H5E_auto2_t print;
    void *data;
    struct job job = *(const struct job *)user;
    /* before HDF5 has anything that an escape would leave open */
    job.places = actio_table_placements(job.table, out->text.arena, &job.place);
    job.lists = actio_events_columns(job.table, out->text.arena, job.list);
    job.rows = actio_arena_array(out->text.arena, job.table->events * bytes_of_all(job.list, job.lists) + 1, 1);
    pack_events(job.table, job.list, job.lists, job.rows);
    H5Eget_auto2(H5E_DEFAULT, &print, &data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (!write_all(out, &job) && !out->error) {
        out->error = EIO;
        out->why = "the HDF5 library failed";
    }
    H5Eset_auto2(H5E_DEFAULT, print, data);
}

static int write_hdf5(struct actio_context *ctx, const struct actio_table *table, const char *path,
                      struct actio_findings *f)
{
    struct job job = { .table = table };
    size_t need = estimate(table);
    int bad = 1;
    if (need <= ctx->bytes_limit && ctx->bytes <= ctx->bytes_limit - need)
        bad = actio_output_write(ctx, path, hdf5_fill, &job, f);
    else actio_report(f, ACTIO_F_OUT_OF_MEMORY, ACTIO_ARGS(ACTIO_TEXT("writing HDF5"), ACTIO_COUNT(ctx->bytes_limit)));
    return bad;
}

const struct actio_writer actio_write_hdf5 = { ".h5", "HDF5", write_hdf5 };
