/* SPDX-License-Identifier: Apache-2.0
 * Long derivations: what formulas have in common is written once, by name, and the formulas are made of the names. Lets
 * of the model keep theirs. */
#include "derive/derive.h"

#include <string.h>

/* operations of the whole when written out; of what gets a name, its parts by name; of a let */
enum { LONG = 20000, WORTH = 7, LET = 3 };

/* Every formula that is shown, and the nodes that they are made of, operands first. */
struct sharing {
    struct actio_derivation *d;
    actio_expr **root;
    size_t roots, cap;
    uint32_t *id, count, *place; /* place: by id */
    size_t *size;                /* by node: operations when written out with names; how often it is used */
    uint32_t *uses;
    actio_expr *made;
    const char **given; /* by node: the let's name, NULL without; whether it is the let's rate */
    bool *is_rate;
    const char *letter; /* of names of our own, w1, w2, ..; how many there are */
    uint32_t own;
};

static uint32_t operands(const struct actio_pool *pool, uint32_t id, uint32_t arg[3])
{
    const struct actio_node *n = &pool->node[id];
    arg[0] = n->a;
    arg[1] = n->b;
    arg[2] = n->c;
    return (uint32_t)actio_arity((enum actio_op)n->op);
}

static void take_root(struct sharing *s, actio_expr *e) { ACTIO_PUSH(&s->d->arena, s->root, s->roots, s->cap) = e; }

/* Definitions of params keep their numbers, and words and lists of names have nothing to share. */
static void list_roots(struct sharing *s)
{
    for (size_t i = 0; i < s->d->sections; i++)
        for (size_t k = 0; k < s->d->section[i].items; k++) {
            struct actio_shown *item = &s->d->section[i].item[k];
            if (item->kind == ACTIO_SHOWN_EQUATION && !item->plain) {
                take_root(s, &item->left);
                take_root(s, &item->right);
            }
            if (item->kind != ACTIO_SHOWN_MATRIX) continue;
            actio_expr *own = actio_arena_array(&s->d->arena, item->rows * item->cols + 1, sizeof *own);
            memcpy(own, item->entry, item->rows * item->cols * sizeof *own);
            item->entry = own;
            for (size_t j = 0; j < item->rows * item->cols; j++) take_root(s, &own[j]);
        }
}

static void list_nodes(struct sharing *s)
{
    struct actio_pool *pool = &s->d->F->pool;
    struct actio_arena *arena = &s->d->arena;
    actio_expr *e = actio_arena_array(arena, s->roots + 1, sizeof *e);
    for (size_t i = 0; i < s->roots; i++) e[i] = *s->root[i];
    struct actio_cone cone = actio_cone_of(pool, e, s->roots);
    s->count = cone.count;
    s->id = actio_arena_array(arena, cone.count + 1, sizeof *s->id);
    memcpy(s->id, cone.id, cone.count * sizeof *s->id);
    s->place = actio_arena_array(arena, pool->count + 1, sizeof *s->place);
    s->size = actio_arena_array(arena, cone.count + 1, sizeof *s->size);
    s->uses = actio_arena_array(arena, cone.count + 1, sizeof *s->uses);
    s->made = actio_arena_array(arena, cone.count + 1, sizeof *s->made);
    s->given = actio_arena_array(arena, cone.count + 1, sizeof *s->given);
    s->is_rate = actio_arena_array(arena, cone.count + 1, sizeof *s->is_rate);
    for (uint32_t i = 0; i < s->count; i++) s->place[s->id[i]] = i;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t arg[3], n = operands(pool, s->id[i], arg);
        for (uint32_t k = 0; k < n; k++) s->uses[s->place[arg[k]]]++;
    }
    for (size_t i = 0; i < s->roots; i++) s->uses[s->place[s->root[i]->id]]++;
}

static bool is_named(const struct sharing *s, uint32_t i)
{
    return s->uses[i] > 1 && s->size[i] >= (s->given[i] ? LET : WORTH);
}

/* Operations of the whole when written out, with names for what is shared or without. */
static size_t shared_measure(struct sharing *s, bool named)
{
    const struct actio_pool *pool = &s->d->F->pool;
    size_t total = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t arg[3], n = operands(pool, s->id[i], arg);
        s->size[i] = 1;
        for (uint32_t k = 0; k < n; k++)
            s->size[i] += named && is_named(s, s->place[arg[k]]) ? 1 : s->size[s->place[arg[k]]];
        if (s->size[i] > SIZE_MAX / 1024) s->size[i] = SIZE_MAX / 1024;
    }
    for (size_t i = 0; i < s->roots && total < SIZE_MAX / 2; i++) total += s->size[s->place[s->root[i]->id]];
    return total;
}

/* ---- names */

/* Lets, and their rates, where they are among the nodes. */
static void take_lets(struct sharing *s)
{
    const struct actio_model *m = s->d->model;
    struct actio_pool *pool = &s->d->F->pool;
    uint32_t before = pool->count;
    for (size_t i = 0; i < m->named.lets; i++) {
        actio_expr e = actio_copy(pool, &s->d->model->pool, m->named.let[i].e), kind[2] = { e, actio_rate(pool, e) };
        for (size_t k = 0; k < 2; k++) {
            uint32_t id = kind[k].id, at = id < before ? s->place[id] : 0;
            if (id < before && s->id[at] == id && !s->given[at]) {
                s->given[at] = m->named.let[i].name;
                s->is_rate[at] = k == 1;
            }
        }
    }
}

static bool begins(const char *name, const char *letter)
{
    size_t n = strlen(letter);
    return strncmp(name, letter, n) == 0 && name[n] >= '0' && name[n] <= '9';
}

/* A letter that no name with a number begins with, lets included. */
static const char *free_letter(const struct sharing *s)
{
    static const char *const letter[] = { "w", "k", "e", "shared", "shared_w" };
    const struct actio_model *m = s->d->model;
    size_t k = 0, last = sizeof letter / sizeof *letter - 1;
    for (bool taken = true; taken && k < last; k += taken) {
        taken = false;
        for (size_t i = 0; i < m->params; i++) taken = taken || begins(m->param[i].name, letter[k]);
        for (size_t i = 0; i < m->coords; i++) taken = taken || begins(m->coord[i].name, letter[k]);
        for (size_t i = 0; i < m->states; i++) taken = taken || begins(m->state[i].name, letter[k]);
        for (size_t i = 0; i < m->named.frames; i++) taken = taken || begins(m->named.frame[i].name, letter[k]);
        for (size_t i = 0; i < m->named.lets; i++) taken = taken || begins(m->named.let[i].name, letter[k]);
    }
    return letter[k];
}

/* Momenta and the like have names of ours already, which a let may have, too. */
static bool is_shown(const struct actio_derivation *d, const char *name)
{
    for (uint32_t i = 0; i < d->names; i++)
        if (strcmp(d->name[i].text, name) == 0) return true;
    return false;
}

static actio_expr shared_name_of(struct sharing *s, uint32_t i)
{
    struct actio_derivation *d = s->d;
    struct actio_text latex;
    actio_text_open(&latex, &d->arena);
    const char *name = s->is_rate[i] ? actio_arena_format(&d->arena, "%s_dot", s->given[i]) : s->given[i];
    if (name && s->is_rate[i]) actio_latex_accented("\\dot", s->given[i], &latex);
    else if (name) actio_latex_name(name, &latex);
    if (name && !is_shown(d, name)) return actio_shown_symbol(d, name, latex.s);
    name = actio_arena_format(&d->arena, "%s%u", s->letter, ++s->own);
    return actio_shown_symbol(d, name, actio_arena_format(&d->arena, "w_{%u}", s->own));
}

/* ---- the formulas anew */

static void rebuild(struct sharing *s, struct actio_shown_section *to)
{
    struct actio_pool *pool = &s->d->F->pool;
    for (uint32_t i = 0; i < s->count; i++) {
        struct actio_node n = pool->node[s->id[i]];
        uint32_t arg[3], arity = operands(pool, s->id[i], arg);
        actio_expr a[3] = { { 0 }, { 0 }, { 0 } };
        for (uint32_t k = 0; k < arity; k++) a[k] = s->made[s->place[arg[k]]];
        s->made[i] =
            arity ? actio_rebuild(pool, (enum actio_op)n.op, a[0], a[1], a[2], (int32_t)n.b) : (actio_expr){ s->id[i] };
        if (!is_named(s, i)) continue;
        struct actio_shown item = { .kind = ACTIO_SHOWN_EQUATION, .left = shared_name_of(s, i), .right = s->made[i] };
        ACTIO_PUSH(&s->d->arena, to->item, to->items, to->cap) = item;
        s->made[i] = item.left;
        if (i % 64 == 0) actio_poll(s->d->ctx);
    }
    for (size_t i = 0; i < s->roots; i++) *s->root[i] = s->made[s->place[s->root[i]->id]];
}

/* Before the first section that has formulas. */
static size_t place_for(const struct actio_derivation *d)
{
    static const char *const before[] = { "principle", "parameters", "coordinates", "states" };
    size_t at = 0;
    for (bool found = true; at < d->sections && found; at += found) {
        found = false;
        for (size_t k = 0; k < sizeof before / sizeof *before; k++)
            found = found || strcmp(d->section[at].key, before[k]) == 0;
    }
    return at;
}

void actio_derive_share(struct actio_derivation *d)
{
    struct sharing s = { .d = d };
    if (d->jets) return; /* names of fields are of another kind, and lines are short */
    list_roots(&s);
    list_nodes(&s);
    if (shared_measure(&s, false) <= LONG) return;
    take_lets(&s);
    shared_measure(&s, true);
    s.letter = free_letter(&s);
    struct actio_shown_section shared = {
        .key = "shared", .title = "Common subexpressions of the formulas below", .rule = "", .latex_rule = ""
    };
    rebuild(&s, &shared);
    if (!shared.items) return;
    size_t at = place_for(d);
    ACTIO_PUSH(&d->arena, d->section, d->sections, d->sections_cap) = shared;
    memmove(d->section + at + 1, d->section + at, (d->sections - 1 - at) * sizeof *d->section);
    d->section[at] = shared;
}
