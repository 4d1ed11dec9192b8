/* SPDX-License-Identifier: Apache-2.0
 * Fields: programs that do not grow with the nodes, several ways and laws to the same accelerations, stripes without
 * two entries at a place. */
#include "subject.h"
#include "solve/law.h"
#include "solve/tension.h"

#include <math.h>

static const char string[] =
    "param g = 1\nfield x(s), y(s) on s = 0 .. 1 nodes 100\nlagrangian integral(s, (x'^2 + y'^2)/2 - g*y)\n"
    "constraint link(s): diff(x, s)^2 + diff(y, s)^2 = 1\nconstraint topx: x(0) = 0\nconstraint topy: y(0) = 0\n"
    "observe tension(s) = -2*lambda.link\nobserve bend(s) = diff(diff(y, s), s)\nsymmetry turn: x = -y, y = x\n";
static const char sleigh[] = "coord th\nfield x(s), y(s) on s = 0 .. 1 nodes 9\nlagrangian x'(0)^2 + y'(0)^2 + "
                             "th'^2\nlagrangian integral(s, (x'^2 + y'^2)/2)\n"
                             "constraint blade: x'(0)*sin(th) = y'(0)*cos(th)\nconstraint link(s): diff(x, s)^2 + "
                             "diff(y, s)^2 = 1\nconstraint edge(s): x'*diff(y, s) = y'*diff(x, s)\n";
static const char beam[] = "field w(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, w'^2/2 - diff(diff(w, s), "
                           "s)^2/2)\nconstraint root: w(0) = 0\nconstraint clamp: diff(w, s)(0) = 0\n";
static const char area[] =
    "coord X\nfield x(s), y(s) on s = 0 .. 1 nodes 9\nlagrangian X'^2/2 + integral(s, ((x' + X')^2 + y'^2)/2 - diff(x, "
    "s)^2/2 - diff(y, s)^2/2)\nconstraint area: integral(s, y*diff(x, s)) = .1\n";

static struct subject open_with(const char *text, const char *nodes)
{
    struct subject s;
    struct actio_change change = { ACTIO_CHANGE_PARAM, nodes };
    CHECK(open_subject(&s, text, strlen(text), &change, 1));
    return s;
}

static size_t operations(struct subject *s, enum actio_quantity what)
{
    size_t sum = 0;
    CHECK(actio_system_need(s->sys, what) == 0);
    const struct actio_streams *streams = s->sys->field.stream[what];
    for (size_t i = 0; streams && i < streams->stages; i++) sum += actio_kernel_ops(streams->stage[i].kernel);
    return sum;
}

TEST(programs_are_as_long_for_a_hundred_thousand_nodes_as_for_a_hundred)
{
    static const enum actio_quantity all[] = { ACTIO_Q_MATRIX,  ACTIO_Q_LEVELS,      ACTIO_Q_MOMENTA,
                                               ACTIO_Q_OUTPUTS, ACTIO_Q_EQUATIONS_Y, ACTIO_Q_POINTS,
                                               ACTIO_Q_JETS,    ACTIO_Q_TENSION,     ACTIO_Q_PULL };
    struct subject few = open_with(string, "s.nodes=100"), many = open_with(string, "s.nodes=100000");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t n = operations(&few, all[i]);
        CHECK(n > 0 && n == operations(&many, all[i]));
    }
    CHECK(many.sys->n == 200000 && many.sys->p == 100001);
    close_subject(&few);
    close_subject(&many);
}

static void no_place_twice(const struct actio_places *at, size_t rows, size_t cols)
{
    unsigned char *seen = calloc(rows * cols + 1, 1);
    bool once = seen != NULL;
    for (size_t i = 0; once && i < at->count; i++) {
        once = at->row[i] < rows && at->col[i] < cols && !seen[at->row[i] * cols + at->col[i]];
        if (once) seen[at->row[i] * cols + at->col[i]] = 1;
    }
    CHECK(once);
    free(seen);
}

TEST(no_entry_of_a_matrix_has_two_places)
{
    static const char *const texts[] = { string, sleigh, beam, area };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct subject s = open_with(texts[i], "s.nodes=7");
        const struct actio_system *sys = s.sys;
        no_place_twice(&sys->G, sys->n, sys->n);
        no_place_twice(&sys->A, sys->p, sys->n);
        no_place_twice(&sys->D, sys->p, sys->n);
        no_place_twice(&sys->F, sys->holonomic, sys->n);
        CHECK(actio_system_need(s.sys, ACTIO_Q_JETS) == 0 && actio_system_need(s.sys, ACTIO_Q_EQUATIONS_Y) == 0);
        no_place_twice(&sys->jets.equations_y, sys->n + sys->p, 2 * sys->n);
        no_place_twice(&sys->jets.points, 2 * sys->n + sys->levels, 2 * sys->n + sys->p);
        close_subject(&s);
    }
}

static double uniform(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1;
}

/* A bent, moving chain; nothing asks whether it satisfies its constraints. */
static double *bent(const struct actio_system *sys)
{
    double *y = calloc(2 * sys->n + 1, sizeof *y);
    unsigned seed = 5;
    for (size_t i = 0; y && i < sys->n; i++) {
        y[i] = (double)i / (double)sys->n + 0.1 * uniform(&seed) / (double)sys->n;
        y[sys->n + i] = uniform(&seed);
    }
    return y;
}

TEST(the_short_way_to_a_chains_accelerations_is_the_long_one)
{
    for (size_t nodes = 4; nodes < 400; nodes = nodes * 3 + 1) {
        char words[32];
        snprintf(words, sizeof words, "s.nodes=%zu", nodes);
        struct subject s = open_with(string, words);
        CHECK(actio_motion_open(&s.motion, s.ctx, s.sys, s.param) == 0 && s.motion.chain.tension);
        double *y = bent(s.sys), *short_way = calloc(s.sys->n, sizeof *y), off = 0, size = 0;
        CHECK(actio_tension_rates(&s.motion, 0, y, short_way) == 0 && actio_motion_solve(&s.motion, 0, y) == 0);
        for (size_t i = 0; i < s.sys->n; i++) {
            off = fmax(off, fabs(short_way[i] - s.motion.here.zdot[i]));
            size = fmax(size, fabs(s.motion.here.zdot[i]));
        }
        CHECK(off <= 1e-11 * size);
        free(y);
        free(short_way);
        close_subject(&s);
    }
}

TEST(tensions_by_neighbours_are_those_of_the_whole_matrix)
{
    struct subject s = open_with(string, "s.nodes=40");
    CHECK(actio_motion_open(&s.motion, s.ctx, s.sys, s.param) == 0);
    double *y = bent(s.sys), *r = calloc(s.sys->n + s.sys->p, sizeof *y);
    CHECK(actio_motion_solve(&s.motion, 0, y) == 0);
    const struct actio_system *sys = s.sys;
    const double *v = actio_motion_values(&s.motion, 0, y), *A = v + sys->G.count, *D = A + sys->A.count,
                 *h = D + sys->D.count, *c = h + sys->n;
    double worst = 0, size = 0;
    for (size_t i = 0; i < sys->n; i++) r[i] = -h[i];
    for (size_t k = 0; k < sys->p; k++) r[sys->n + k] = -c[k];
    for (size_t i = 0; i < sys->G.count; i++) r[sys->G.row[i]] += v[i] * s.motion.here.zdot[sys->G.col[i]];
    for (size_t i = 0; i < sys->D.count; i++) {
        r[sys->D.col[i]] -= D[i] * s.motion.here.lambda[sys->D.row[i]];
        size = fmax(size, fabs(D[i] * s.motion.here.lambda[sys->D.row[i]]));
    }
    for (size_t i = 0; i < sys->A.count; i++) {
        r[sys->n + sys->A.row[i]] += A[i] * s.motion.here.zdot[sys->A.col[i]];
        size = fmax(size, fabs(A[i] * s.motion.here.zdot[sys->A.col[i]]));
    }
    for (size_t i = 0; i < sys->n + sys->p; i++) worst = fmax(worst, fabs(r[i]));
    CHECK(worst <= 1e-11 * size);
    free(y);
    free(r);
    close_subject(&s);
}

/* A string on ice in an arc about each of several centres: what is free turns right round, and a frame of one of them
 * serves for few. */
static void lay(const struct actio_system *sys, double turn, double *y)
{
    size_t nodes = (sys->n - 1) / 2;
    for (size_t k = 0; k < nodes; k++) {
        double a = turn + (double)k / (double)(nodes - 1);
        y[1 + k] = cos(a);
        y[1 + nodes + k] = sin(a);
        y[sys->n + 1 + k] = -sin(a);
        y[sys->n + 1 + nodes + k] = cos(a);
    }
    y[0] = turn + 1.5707963267948966;
    y[sys->n] = 1;
}

TEST(maggis_equations_along_a_line_do_not_depend_on_the_frame)
{
    static const struct actio_law *const laws[] = { &actio_law_maggi, &actio_law_gauss };
    for (size_t i = 0; i < 2; i++) {
        struct subject s = open_with(sleigh, "s.nodes=33");
        struct actio_motion band;
        CHECK(actio_motion_open(&band, s.ctx, s.sys, s.param) == 0
              && actio_motion_open(&s.motion, s.ctx, s.sys, s.param) == 0
              && actio_motion_obey(&s.motion, laws[i]) == 0);
        size_t n = s.sys->n;
        double *y = calloc(2 * n, sizeof *y), *dy = calloc(2 * n, sizeof *dy), off = 0;
        CHECK(s.motion.flow.n == 2 * n && !s.motion.flow.unfold);
        for (int eighth = 0; eighth <= 16; eighth++) { /* at a quarter none of the first frame's directions is free */
            lay(s.sys, eighth * 0.39269908169872414, y);
            CHECK(s.motion.flow.rhs(s.motion.flow.user, 0, y, dy) == 0 && actio_motion_solve(&band, 0, y) == 0);
            for (size_t k = 0; k < n; k++) off = fmax(off, fabs(dy[n + k] - band.here.zdot[k]));
        }
        CHECK(off < 1e-11); /* of accelerations of size 1; measured: 2e-14 */
        free(y);
        free(dy);
        actio_motion_close(&band);
        close_subject(&s);
    }
}

int main(void)
{
    RUN(programs_are_as_long_for_a_hundred_thousand_nodes_as_for_a_hundred);
    RUN(no_entry_of_a_matrix_has_two_places);
    RUN(the_short_way_to_a_chains_accelerations_is_the_long_one);
    RUN(tensions_by_neighbours_are_those_of_the_whole_matrix);
    RUN(maggis_equations_along_a_line_do_not_depend_on_the_frame);
    return DONE();
}
