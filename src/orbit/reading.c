/* SPDX-License-Identifier: Apache-2.0
 * Formulas of the search's own, evaluated where the factors of a turn begin. */
#include "orbit/reading.h"

#include <string.h>

int actio_stand_open(struct actio_stand *at, struct actio_search *s, const struct actio_turn *turn)
{
    *at = (struct actio_stand){ .s = s };
    at->block = actio_alloc(s->problem->ctx, turn->ny + turn->modes + 1, sizeof *at->block);
    if (!at->block) return 1;
    at->y = at->block;
    at->mode = at->block + turn->ny;
    return 0;
}

void actio_stand_close(struct actio_stand *at)
{
    if (at->s) actio_free(at->s->problem->ctx, at->block);
    at->block = NULL;
}

void actio_stand_move(struct actio_stand *at, const struct actio_turn *turn, size_t i)
{
    size_t k = i % turn->factors;
    at->t = turn->t[k];
    memcpy(at->y, turn->y + k * turn->ny, turn->ny * sizeof *at->y);
    memcpy(at->mode, turn->mode + k * turn->modes, turn->modes * sizeof *at->mode);
}

void actio_reading_make(struct actio_reading *r, struct actio_search *s, const actio_expr *e, size_t count)
{
    struct actio_formation *F = s->problem->sys->formation;
    const actio_slot *slots;
    r->k = actio_kernel_compile(s->problem->ctx, &F->pool, e, count);
    r->in = actio_arena_array(&F->arena, actio_kernel_inputs(r->k, &slots) + 1, sizeof *r->in);
    r->given = actio_arena_array(&F->arena, actio_kernel_params(r->k, &slots) + 1, sizeof *r->given);
    r->pre = actio_arena_array(&F->arena, actio_kernel_pre(r->k) + 1, sizeof *r->pre);
    r->value = actio_arena_array(&F->arena, count + 1, sizeof *r->value);
    r->out = actio_arena_array(&F->arena, count + 1, sizeof *r->out);
    r->work = actio_arena_array(&F->arena, actio_kernel_work(r->k) + 1, sizeof *r->work);
    for (size_t j = 0; j < count; j++) r->out[j] = r->value + j;
}

void actio_reading_bind(struct actio_reading *r, const struct actio_stand *at)
{
    const struct actio_motion *m = &at->s->problem->motion;
    size_t n = m->n, switches = m->sys->switches.count;
    struct actio_binding b;
    memset(&b, 0, sizeof b);
    const struct {
        int space;
        const double *base;
    } bound[] = {
        { ACTIO_SPACE_T, &at->t },
        { ACTIO_SPACE_PARAM, m->here.param },
        { ACTIO_SPACE_HIDDEN, m->here.hidden },
        { ACTIO_SPACE_Q, at->y },
        { ACTIO_SPACE_V, at->y + n },
        { ACTIO_SPACE_STATE, at->y + 2 * n },
        { ACTIO_SPACE_MODE, at->mode },
        { ACTIO_SPACE_HELD, at->mode + switches },
        { ACTIO_SPACE_EXTERNAL, m->here.outside },
    };
    for (size_t i = 0; i < sizeof bound / sizeof *bound; i++) {
        b.space[bound[i].space].base = bound[i].base;
        b.space[bound[i].space].index_step = 1;
    }
    actio_kernel_bind(r->k, &b, r->in);
    actio_kernel_bind_params(r->k, &b, r->given);
    actio_kernel_prologue(r->k, 1, r->given, r->pre, r->work);
}

const double *actio_reading_at(const struct actio_reading *r)
{
    actio_kernel_eval(r->k, 1, r->in, r->pre, 1, r->out, r->work);
    return r->value;
}

void actio_reading_close(struct actio_reading *r)
{
    if (r->k) actio_kernel_free(r->k);
    r->k = NULL;
}
