/* SPDX-License-Identifier: Apache-2.0
 * One model on its way through the stages, for tests that look at every stage of every gallery model. */
#ifndef ACTIO_TESTS_SUBJECT_H
#define ACTIO_TESTS_SUBJECT_H

#include "check.h"
#include "equations/formation.h"
#include "solve/motion.h"

#include <actio/actio.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

struct subject {
    struct actio_context *ctx;
    struct actio_findings *f;
    struct actio_model *model;
    struct actio_system *sys;
    struct actio_motion motion;
    double *param, *y0;
};

static inline double *numbers(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);
    if (!x) abort();
    return x;
}

static inline void take_numbers(struct subject *s)
{
    struct actio_model *m = s->model;
    s->param = numbers(m->params);
    s->y0 = numbers(2 * m->coords + m->states);
    for (size_t i = 0; i < m->params; i++) s->param[i] = m->param[i].value;
    for (size_t i = 0; i < m->coords; i++) {
        s->y0[i] = actio_model_number(m, m->coord[i].start);
        s->y0[m->coords + i] = actio_model_number(m, m->coord[i].start_dot);
    }
    for (size_t i = 0; i < m->states; i++) s->y0[2 * m->coords + i] = actio_model_number(m, m->state[i].start);
}

/* Reads and forms; false when that fails (the findings say why). */
static inline bool open_subject(struct subject *s, const char *text, size_t length, const struct actio_change *change,
                                size_t changes)
{
    *s = (struct subject){ .ctx = actio_context_create(NULL) };
    s->f = actio_findings_create(s->ctx);
    s->ctx->findings = s->f;
    s->model = actio_model_read_string(s->ctx, "subject.act", text, length, change, changes, s->f);
    if (!s->model) return false;
    take_numbers(s);
    s->sys = actio_system_form(s->ctx, s->model, actio_form_dalembert);
    return s->sys != NULL;
}

static inline void close_subject(struct subject *s)
{
    actio_motion_close(&s->motion);
    actio_system_free(s->sys);
    actio_model_free(s->model);
    actio_findings_free(s->f);
    CHECK(s->ctx->bytes == 0);
    actio_context_free(s->ctx);
    free(s->param);
    free(s->y0);
}

static inline void show_findings(struct actio_findings *f)
{
    for (size_t i = 0; i < actio_findings_count(f); i++) printf("    said: %s\n", actio_findings_message(f, i).message);
}

/* Quantities that a system has; compiled. */
static inline size_t compile_all(struct subject *s, struct actio_kernel **kernel)
{
    const struct actio_system *sys = s->sys;
    const bool has[ACTIO_Q_COUNT] = {
        [ACTIO_Q_RHS] = sys->solved.symbolic,
        [ACTIO_Q_SOLVE] = sys->solved.symbolic,
        [ACTIO_Q_RHS_Y] = sys->solved.symbolic,
        [ACTIO_Q_MATRIX] = true,
        [ACTIO_Q_OUTPUTS] = true,
        [ACTIO_Q_PROJECT_Q] = sys->solved.symbolic && sys->holonomic,
        [ACTIO_Q_PROJECT_V] = sys->solved.symbolic && sys->levels,
        [ACTIO_Q_LEVELS] = sys->levels > 0,
        [ACTIO_Q_GUARDS] = sys->switches.count > 0,
    };
    size_t n = 0;
    if (sys->field.axes) return 0; /* programs over nodes and cells: whole runs show their bits */
    for (int q = 0; q < ACTIO_Q_COUNT; q++)
        if (has[q]) {
            CHECK(actio_system_need(s->sys, (enum actio_quantity)q) == 0);
            kernel[n++] = sys->formation->kernel[q];
        }
    return n;
}

/* NaN counts as one value. */
static inline bool same_number(double a, double b) { return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

static inline size_t first_difference(const double *a, const double *b, size_t n)
{
    size_t i = 0;
    while (i < n && same_number(a[i], b[i])) i++;
    return i;
}

/* Do two tables hold the same bits? Says where they don't. */
static inline bool same_tables(const struct actio_table *a, const struct actio_table *b)
{
    size_t rows = actio_table_rows(a), cols = actio_table_columns(a);
    if (rows != actio_table_rows(b) || cols != actio_table_columns(b)) {
        printf("    %zu x %zu, not %zu x %zu\n", actio_table_rows(b), actio_table_columns(b), rows, cols);
        return false;
    }
    for (size_t c = 0; c < cols; c++) {
        size_t r = first_difference(actio_table_data(a, c), actio_table_data(b, c), rows);
        if (r == rows) continue;
        printf("    %s in row %zu: %a, not %a\n", actio_table_name(a, c), r, actio_table_data(b, c)[r],
               actio_table_data(a, c)[r]);
        return false;
    }
    return true;
}

#endif
