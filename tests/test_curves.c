/* SPDX-License-Identifier: Apache-2.0
 * Curves for pictures: what the march tells who follows it, what is kept of very many samples, and how lines of pixels
 * become marks. */
#include "check.h"

#include "result/curves.h"
#include "result/strokes.h"
#include "solve/march.h"

static struct actio_context ctx;

/* ---- a follower */

/* A ball under gravity 1, thrown up again by every impact: h = 2 (t - t_k) - (t - t_k)^2/2, period 4. */
static int falls(void *user, double t, const double *y, double *dy)
{
    (void)user;
    (void)t;
    dy[0] = y[1];
    dy[1] = -1;
    return 0;
}

static void height(void *user, double t, const double *y, double *g)
{
    (void)user;
    (void)t;
    g[0] = y[0];
}

static int bounces(void *user, size_t guard, double t, double *y)
{
    (void)user;
    (void)guard;
    (void)t;
    y[0] = 0;
    y[1] = 2;
    return 0;
}

static int above(void *user, size_t guard)
{
    (void)user;
    (void)guard;
    return 1;
}

struct followed {
    double t, worst;
    size_t reached, parts, jumps;
    bool in_order, jumping;
};

/* Away from the closed form; before: at an instant, the state that falls. */
static double away(double t, const double *y, bool before)
{
    double s = fmod(t, 4);
    if (s > 4 - 1e-6) s -= 4; /* an impact that is found a little early */
    if (before && s < 1) s += 4;
    return fmax(fabs(y[0] - (2 * s - s * s / 2)), fabs(y[1] - (2 - s)));
}

static void reached(void *user, double t, const double *y, bool jumps)
{
    struct followed *f = user;
    if (f->jumping && (t != f->t || jumps)) f->in_order = false;
    if (t < f->t) f->in_order = false;
    f->worst = fmax(f->worst, away(t, y, jumps));
    f->jumps += jumps;
    f->jumping = jumps;
    f->t = t;
    f->reached++;
}

static void passed(void *user, double from, double to, const struct actio_inside *inside)
{
    struct followed *f = user;
    double y[2];
    if (from != f->t || !(to > from) || f->jumping) f->in_order = false;
    for (int k = 1; k < 8; k++) {
        double t = from + (to - from) * k / 8;
        inside->value(inside->where, t, y);
        f->worst = fmax(f->worst, away(t, y, false));
    }
    f->parts++;
}

TEST(a_follower_sees_the_whole_motion_in_order_and_both_sides_of_each_jump)
{
    double y0[] = { 0, 2 }, y[2];
    struct followed f = { .in_order = true };
    struct actio_follower follower = { .at = reached, .part = passed, .user = &f };
    struct actio_ode flow = { .n = 2, .rhs = falls, .guards = 1, .guard = height, .crossed = bounces, .side = above };
    struct actio_march_task task = { .t1 = 21, .rtol = 1e-10, .atol = 1e-10, .y0 = y0, .follower = &follower };
    struct actio_march_result result = { .y = y };
    CHECK(actio_march(&ctx, &flow, &task, &result) == 0);
    CHECK(f.in_order && f.jumps == 5 && f.t == 21 && f.parts >= 6 && f.reached >= f.parts + f.jumps);
    CHECK(f.worst < 1e-8);
}

/* ---- samples to curves */

static struct actio_table *make_table(size_t cols)
{
    struct actio_table *t = actio_table_create(&ctx);
    t->cols = cols;
    t->col = actio_arena_array(&t->arena, cols, sizeof *t->col);
    for (size_t c = 0; c < cols; c++)
        t->col[c] = (struct actio_column){ .name = c ? "x" : "t", .role = c ? ACTIO_ROLE_COORD : ACTIO_ROLE_TIME };
    return t;
}

struct making {
    struct actio_table *table;
    size_t samples;
    double (*value)(size_t i);
    double t1;
};

static void make_curves(void *user)
{
    struct making *m = user;
    struct actio_curve_maker *maker = actio_curves_begin(m->table, 0, m->t1, m->samples, m->samples / 16 + 1);
    for (size_t i = 0; i < m->samples; i++) {
        double x[2] = { 0, m->value(i) };
        actio_curves_add(maker, m->t1 * (double)i / (double)(m->samples - 1), x, 1);
    }
    actio_curves_end(maker);
}

/* Random numbers, with spikes that one sample has. */
static double noise(size_t i)
{
    uint32_t x = (uint32_t)i * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    return i == 123457 ? 7 : i == 700001 ? -9 : (double)(x >> 8) / (double)(1 << 24);
}

TEST(of_a_million_samples_some_thousand_stay_and_all_extremes)
{
    struct making m = { make_table(2), 1000000, noise, 1 };
    CHECK(actio_attempt(&ctx, make_curves, &m) == 0);
    const struct actio_curve *c = actio_curve_of(m.table, 1);
    double low = HUGE_VAL, high = -HUGE_VAL;
    bool ordered = true;
    for (size_t i = 0; i < c->count; i++) {
        low = fmin(low, c->y[i]);
        high = fmax(high, c->y[i]);
        ordered = ordered && (i == 0 || c->t[i] >= c->t[i - 1]);
    }
    CHECK(ordered && low == -9 && high == 7 && c->count > 4096 && c->count <= 4 * 4097);
    CHECK(c->t[0] == 0 && c->y[0] == noise(0) && c->t[c->count - 1] == 1 && c->y[c->count - 1] == noise(999999));
    CHECK(m.table->curves->rows <= 1 << 18 && m.table->curves->joined);
    /* in each thousandth of the interval the extremes are those of the samples */
    size_t wrong = 0, i = 0;
    for (size_t k = 0; k < 1000; k++) {
        double kept = -HUGE_VAL, there = -HUGE_VAL;
        for (; i < c->count && c->t[i] < (double)(k + 1) / 1000; i++) kept = fmax(kept, c->y[i]);
        for (size_t j = k * 1000; j < k * 1000 + 1000; j++) there = fmax(there, noise(j));
        wrong += fabs(kept - there) > 3e-3;
    }
    CHECK(wrong == 0);
    actio_table_free(m.table);
}

TEST(both_values_of_a_jump_stay_and_what_is_not_a_number_breaks_the_curve)
{
    static const double t[] = { 0, .5, .5, .500001, .6, .7, .8, 1 }, y[] = { 1, 2, -2, -2, -1, NAN, 3, 4 };
    struct actio_table *table = make_table(2);
    struct actio_curve_maker *maker = actio_curves_begin(table, 0, 1, 8, 1);
    for (size_t i = 0; i < 8; i++) actio_curves_add(maker, t[i], (double[]){ 0, y[i] }, 1);
    actio_curves_end(maker);
    const struct actio_curve *c = actio_curve_of(table, 1);
    CHECK(c->count == 8);
    for (size_t i = 0; i < 8; i++) CHECK(c->t[i] == t[i] && (c->y[i] == y[i] || (isnan(c->y[i]) && isnan(y[i]))));
    CHECK(table->curves->rows == 8 && table->curves->joined && table->curves->data[0][4] == .6);
    actio_table_free(table);
}

TEST(without_curves_a_column_has_none)
{
    struct actio_table *table = make_table(2);
    CHECK(!actio_curve_of(table, 1));
    actio_table_free(table);
}

/* ---- lines in pixels */

static size_t count_marks(const struct actio_canvas *c, enum actio_mark_kind kind, size_t *points)
{
    size_t n = 0;
    *points = 0;
    for (size_t i = 0; i < c->marks; i++)
        if (c->mark[i].kind == kind) {
            n++;
            *points += c->mark[i].points;
        }
    return n;
}

TEST(a_dense_line_is_a_band_a_jump_a_thin_line_and_a_winding_track_its_pixels)
{
    struct actio_arena arena;
    struct actio_canvas canvas;
    size_t points;
    actio_arena_open(&arena, &ctx);
    actio_canvas_open(&canvas, &arena, 900, 400);
    struct actio_stroke *s = actio_stroke_begin(&canvas, 100000, true);
    for (int i = 0; i < 100000; i++)
        actio_stroke_to(s, (struct actio_stroke_point){ (float)i / 125, i % 2 ? 20 : 300 }, false);
    actio_stroke_end(s, 0, 1.6, 0, true);
    CHECK(count_marks(&canvas, ACTIO_MARK_AREA, &points) == 1 && points == 1600);
    actio_canvas_open(&canvas, &arena, 900, 400);
    s = actio_stroke_begin(&canvas, 4, true);
    for (int i = 0; i < 4; i++)
        actio_stroke_to(s, (struct actio_stroke_point){ (float)(i < 2 ? 100 * i : 100 * i - 100), i < 2 ? 50 : 90 },
                        i == 2);
    actio_stroke_end(s, 0, 1.6, 0, true);
    CHECK(count_marks(&canvas, ACTIO_MARK_LINE, &points) == 3 && points == 6 && canvas.mark[1].width < 1);
    actio_canvas_open(&canvas, &arena, 900, 400);
    s = actio_stroke_begin(&canvas, 200000, false);
    for (int i = 0; i < 200000; i++)
        actio_stroke_to(s, (struct actio_stroke_point){ 450 + 200 * cosf((float)i), 200 + 180 * sinf(1.7F * (float)i) },
                        false);
    actio_stroke_end(s, 0, 1.6, 0, true);
    CHECK(count_marks(&canvas, ACTIO_MARK_TILES, &points) == 1 && points < 361 * 200 && canvas.marks == 1);
    actio_canvas_open(&canvas, &arena, 900, 400);
    s = actio_stroke_begin(&canvas, 1001, false);
    for (int i = 0; i <= 1000; i++)
        actio_stroke_to(s, (struct actio_stroke_point){ (float)i / 2, (float)i / 4 }, false);
    actio_stroke_end(s, 0, 1.6, 0, true);
    CHECK(count_marks(&canvas, ACTIO_MARK_LINE, &points) == 1 && points == 2);
    actio_arena_close(&arena);
}

int main(void)
{
    actio_context_init(&ctx);
    RUN(a_follower_sees_the_whole_motion_in_order_and_both_sides_of_each_jump);
    RUN(of_a_million_samples_some_thousand_stay_and_all_extremes);
    RUN(both_values_of_a_jump_stay_and_what_is_not_a_number_breaks_the_curve);
    RUN(without_curves_a_column_has_none);
    RUN(a_dense_line_is_a_band_a_jump_a_thin_line_and_a_winding_track_its_pixels);
    return DONE();
}
