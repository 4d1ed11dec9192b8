/* SPDX-License-Identifier: Apache-2.0
 * The path of one derivation: form the equations, choose what is shown, write it. */
#include <actio/actio.h>

#include "derive/derive.h"
#include "result/output.h"
#include "result/table.h"

#include <string.h>

static const struct principle { const char *name, *title; actio_form_fn form; } principles[] = {
#define PRINCIPLE(name, title, key, form, assumes) { #name, title, form },
#include "principles.def"
#undef PRINCIPLE
};

static const struct format { const char *name; bool contents; void (*write)(struct actio_derivation *); } formats[] = {
    { "text", true, actio_derive_text },
    { "latex", true, actio_derive_latex },
    { "c", false, actio_derive_c },
};

struct deriving { struct actio_derivation *d; const struct format *format; };

static const struct principle *principle_named(const char *name)
{
    for (size_t i = 0; i < sizeof principles / sizeof *principles; i++)
        if (strcmp(principles[i].name, name) == 0) return &principles[i];
    return NULL;
}

static const struct format *format_named(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0) return &formats[i];
    return NULL;
}

static void show(void *user)
{
    struct deriving *job = user;
    actio_text_open(&job->d->text, &job->d->arena);
    if (job->format->contents) actio_derive_contents(job->d);
    job->format->write(job->d);
}

static bool derive(struct actio_derivation *d, const struct principle *p, const struct format *format)
{
    struct actio_system *sys = actio_system_form(d->ctx, d->model, p->form);
    if (!sys) return false;
    d->F = sys->formation;
    bool whole = actio_attempt(d->ctx, show, &(struct deriving){ d, format }) == 0;
    d->F = NULL, d->model = NULL;
    actio_system_free(sys);
    return whole;
}

struct actio_derivation *actio_derive(struct actio_context *ctx, struct actio_model *model, const char *by, const char *format, struct actio_findings *f)
{
    const struct principle *p = principle_named(by ? by : "dalembert");
    const struct format *as = format_named(format ? format : "text");
    struct actio_findings *outer = ctx->findings;
    if (!p) actio_find(f, ACTIO_F_NO_PRINCIPLE, ACTIO_ARGS(ACTIO_TEXT(by)));
    else if (!as) actio_find(f, ACTIO_F_NO_FORMAT, ACTIO_ARGS(ACTIO_TEXT(format)));
    else if (model->coords + model->states == 0) actio_find(f, ACTIO_F_NOTHING_MOVES, ACTIO_NO_ARGS);
    if (!p || !as || model->coords + model->states == 0) return NULL;
    struct actio_derivation *d = actio_take(ctx, 1, sizeof *d);
    if (!d) {
        actio_find(f, ACTIO_F_OUT_OF_MEMORY, ACTIO_ARGS(ACTIO_TEXT("showing the equations"), ACTIO_COUNT(ctx->bytes_limit)));
        return NULL;
    }
    d->ctx = ctx, d->model = model, d->by = p->name, d->by_title = p->title;
    actio_arena_open(&d->arena, ctx);
    ctx->findings = f;
    bool whole = derive(d, p, as);
    ctx->findings = outer;
    if (whole) return d;
    actio_derivation_free(d);
    return NULL;
}

void actio_derivation_free(struct actio_derivation *d)
{
    if (!d) return;
    actio_arena_close(&d->arena);
    actio_give(d->ctx, d);
}

const char *actio_derivation_text(const struct actio_derivation *d) { return d->text.s; }
size_t actio_derivation_sections(const struct actio_derivation *d) { return d->sections; }

struct actio_derived_section actio_derivation_section(const struct actio_derivation *d, size_t i)
{
    const struct actio_shown_section *s = &d->section[i];
    return (struct actio_derived_section){ s->key, s->title, s->text };
}

int actio_derivation_write(struct actio_context *ctx, const struct actio_derivation *d, const char *path, struct actio_findings *f)
{
    return actio_file_write(ctx, path, d->text.s, d->text.length, f) ? ACTIO_FILE_TROUBLE : ACTIO_DONE;
}
