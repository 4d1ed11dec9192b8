/* SPDX-License-Identifier: Apache-2.0
 * Impacts: velocities jump by answers to impulses, positions stay.
 * One contact without friction: Newton's restitution in the kinetic-energy metric, rate+ = -e rate-.
 * One with friction: along the growing normal impulse slip and rate follow Coulomb's law; it ends when expansion has
 * given back e^2 of the work of compression (Stronge), so that no energy can be gained whatever friction does.
 * Several that depend on each other: Poisson's restitution, compression and expansion as complementarity problems of
 * all contacts at once;
 * coefficients that differ could gain energy: then all are reduced by one factor until energy does not grow. */
#include "solve/contacts.h"
#include "algebra/dense.h"
#include "algebra/lcp.h"

#include <math.h>
#include <string.h>

#define APPROACHES 1e-11          /* of the speed that the kinetic energy could give */
enum { FACETS = 8, STEPS = 400 }; /* of a friction cone; of the impulse, where slip turns on the way */

static double impact_rate_of(const struct actio_contacts *c, size_t i) { return actio_gap_rate(c, i); }
static double restitution_of(const struct actio_contacts *c, size_t i)
{
    return fmax(0, fmin(1, actio_gap_of(c, i)[ACTIO_GAP_RESTITUTION]));
}

static double mobility(struct actio_contacts *c, size_t row, size_t column)
{
    return actio_dot(c->n, actio_column_row(c, row), actio_contacts_answer(c, column));
}

static void push(struct actio_contacts *c, double *v, size_t column, double impulse)
{
    const double *answer = actio_contacts_answer(c, column);
    if (c->m->span < 0) impulse = -impulse;
    for (size_t i = 0; i < c->N; i++) v[i] += impulse * answer[i];
}

static size_t rough_rub(const struct actio_contacts *c, size_t contact)
{
    for (size_t r = 0; r < c->rubs; r++)
        if (c->rub[r].contact == contact
            && (actio_rub_of(c, r)[ACTIO_RUB_SLIDING] > 0 || actio_rub_of(c, r)[ACTIO_RUB_STICKING] > 0))
            return r;
    return SIZE_MAX;
}

/* ---- one contact without friction */

static const char *newton(struct actio_contacts *c, size_t i, double *v, double *impulse)
{
    double a = mobility(c, i, i);
    if (!(a > 0)) return NULL;
    impulse[i] = -(1 + restitution_of(c, i)) * impact_rate_of(c, i) / a;
    push(c, v, i, impulse[i]);
    return "Newton's restitution";
}

/* ---- one contact with friction */

/* Along one direction: rate' = a + b k, slip' = b + d k by normal impulse, k the friction by normal impulse. */
struct routh {
    double a, b, d, sliding, sticking, rate, slip, normal, tangential, work;
};

static double friction_share(const struct routh *x)
{
    if (x->slip != 0) return x->slip > 0 ? -x->sliding : x->sliding;
    double k = -x->b / x->d;
    return fabs(k) <= x->sticking ? k : x->b > 0 ? -x->sliding : x->sliding;
}

static void impact_advance(struct routh *x, double k, double p, bool stops)
{
    double up = x->a + x->b * k;
    x->work += x->rate * p + 0.5 * up * p * p;
    x->rate += up * p;
    x->slip = stops || (x->slip == 0 && fabs(-x->b / x->d) <= x->sticking) ? 0 : x->slip + (x->b + x->d * k) * p;
    x->normal += p;
    x->tangential += k * p;
}

/* Normal impulse to rate 0 (compression) or to the work that is wanted (expansion); INFINITY: not under this friction.
 * */
static double to_end(const struct routh *x, double up, bool expands, double wanted)
{
    if (!expands) return up > 0 ? -x->rate / up : INFINITY;
    double rest = wanted - x->work, root = x->rate * x->rate + 2 * up * rest;
    if (rest <= 0) return 0;
    if (root < 0) return INFINITY;
    return 2 * rest / (x->rate + sqrt(root));
}

static bool phase(struct routh *x, bool expands, double wanted)
{
    for (int i = 0; i < 4; i++) {
        double k = friction_share(x), turn = x->b + x->d * k, end = to_end(x, x->a + x->b * k, expands, wanted);
        double stop = x->slip * turn < 0 ? -x->slip / turn : INFINITY;
        if (!isfinite(end) && !isfinite(stop)) return false;
        if (end <= stop) {
            impact_advance(x, k, end, false);
            if (!expands) x->rate = 0;
            return true;
        }
        impact_advance(x, k, stop, true);
    }
    return false;
}

static bool routh(struct routh *x, double e)
{
    if (!phase(x, false, 0)) return false;
    double compression = x->work;
    return e == 0 || phase(x, true, (1 - e * e) * compression);
}

/* Two slips whose direction turns on the way: by the normal impulse p,  slip' = b + D k,  rate' = a + b k,  work' =
 * rate,  tangential' = k, by the
 * classical method of order 4 in small steps. */
enum { SLIP, RATE = 2, WORK, TANGENT, VALUES = 6 };
struct cone {
    double a, b[2], d[2][2], sliding, sticking, x[VALUES], normal;
};

static bool has_slip(const double *x) { return x[SLIP] != 0 || x[SLIP + 1] != 0; }

/* Friction by normal impulse: against the slip; without slip what holds, or against what begins. */
static void share_of(const struct cone *c, const double *slip, double *k)
{
    double size = hypot(slip[0], slip[1]), det = c->d[0][0] * c->d[1][1] - c->d[0][1] * c->d[1][0];
    k[0] = -(c->d[1][1] * c->b[0] - c->d[0][1] * c->b[1]) / det;
    k[1] = -(c->d[0][0] * c->b[1] - c->d[1][0] * c->b[0]) / det;
    double hold = hypot(k[0], k[1]);
    if (size == 0 && hold <= c->sticking) return;
    for (int j = 0; j < 2; j++) k[j] = size > 0 ? -c->sliding * slip[j] / size : c->sliding * k[j] / hold;
}

static void rates_of(const struct cone *c, const double *x, double *dx)
{
    double k[2];
    share_of(c, x + SLIP, k);
    for (int j = 0; j < 2; j++) {
        dx[SLIP + j] = has_slip(x) ? c->b[j] + c->d[j][0] * k[0] + c->d[j][1] * k[1] : 0;
        dx[TANGENT + j] = k[j];
    }
    if (!has_slip(x) && hypot(k[0], k[1]) > c->sticking * (1 - 1e-15))
        for (int j = 0; j < 2; j++) dx[SLIP + j] = c->b[j] + c->d[j][0] * k[0] + c->d[j][1] * k[1];
    dx[RATE] = c->a + c->b[0] * k[0] + c->b[1] * k[1];
    dx[WORK] = x[RATE];
}

static void classical(const struct cone *c, const double *x, double h, double *to)
{
    double k[4][VALUES], at[VALUES];
    rates_of(c, x, k[0]);
    for (int s = 1; s < 4; s++) {
        for (int j = 0; j < VALUES; j++) at[j] = x[j] + (s < 3 ? 0.5 : 1) * h * k[s - 1][j];
        rates_of(c, at, k[s]);
    }
    for (int j = 0; j < VALUES; j++) to[j] = x[j] + h / 6 * (k[0][j] + 2 * (k[1][j] + k[2][j]) + k[3][j]);
}

/* A step that is short beside the way to the end of the slip, so that its direction is followed. */
static double step_of(const struct cone *c, double p)
{
    double dx[VALUES], size = hypot(c->x[SLIP], c->x[SLIP + 1]);
    rates_of(c, c->x, dx);
    double fast = hypot(dx[SLIP], dx[SLIP + 1]);
    return size > 0 && fast > 0 ? fmin(p, 0.05 * size / fast) : p;
}

/* To where component `of` has the value `wanted`, from below; false: it never has. */
static bool small_steps(struct cone *c, int of, double wanted, double p, double least)
{
    for (int i = 0; i < 100 * STEPS; i++) {
        double next[VALUES], h = step_of(c, p);
        classical(c, c->x, h, next);
        if (next[of] >= wanted) {
            double low = 0, high = h;
            for (int j = 0; j < 60 && high - low > 1e-16 * high; j++) {
                double middle = 0.5 * (low + high);
                classical(c, c->x, middle, next);
                if (next[of] >= wanted) high = middle;
                else low = middle;
            }
            h = high;
        }
        classical(c, c->x, h, next);
        memcpy(c->x, next, sizeof next);
        c->normal += h;
        if (has_slip(c->x) && hypot(c->x[SLIP], c->x[SLIP + 1]) <= least) c->x[SLIP] = c->x[SLIP + 1] = 0;
        if (next[of] >= wanted) return true;
    }
    return false;
}

static bool follow(struct cone *c, double e)
{
    double p = -c->x[RATE] * (1 + e) / c->a / STEPS, least = 1e-14 * hypot(c->x[SLIP], c->x[SLIP + 1]);
    if (!small_steps(c, RATE, 0, p, least)) return false;
    c->x[RATE] = 0;
    return e == 0 || small_steps(c, WORK, (1 - e * e) * c->x[WORK], p, least);
}

/* The slip's own direction keeps if neither the normal impulse nor friction against it turns it. */
static bool keeps_direction(const struct cone *x, double size)
{
    double u[2] = { x->x[SLIP] / size, x->x[SLIP + 1] / size },
           cross = u[0] * (x->d[1][0] * u[0] + x->d[1][1] * u[1]) - u[1] * (x->d[0][0] * u[0] + x->d[0][1] * u[1]);
    double d = fabs(x->d[0][0]) + fabs(x->d[1][1]);
    return fabs(cross) <= 1e-13 * d && fabs(u[0] * x->b[1] - u[1] * x->b[0]) <= 1e-13 * (d + x->a);
}

static const char *by_cone(struct actio_contacts *c, size_t i, size_t r, double *v, double *impulse)
{
    size_t s = c->contacts + c->rub[r].slip;
    const double *rub = actio_rub_of(c, r);
    struct cone x = { .a = mobility(c, i, i),
                      .b = { mobility(c, s, i), mobility(c, s + 1, i) },
                      .sliding = rub[ACTIO_RUB_SLIDING] * rub[ACTIO_RUB_SCALE],
                      .sticking = rub[ACTIO_RUB_STICKING] * rub[ACTIO_RUB_SCALE],
                      .d = { { mobility(c, s, s), mobility(c, s, s + 1) },
                             { mobility(c, s + 1, s), mobility(c, s + 1, s + 1) } },
                      .x = { [SLIP] = actio_slip_of(c, c->rub[r].slip)[0],
                             [SLIP + 1] = actio_slip_of(c, c->rub[r].slip + 1)[0],
                             [RATE] = impact_rate_of(c, i) } };
    double size = hypot(x.x[SLIP], x.x[SLIP + 1]);
    if (size > 0 && keeps_direction(&x, size)) {
        double u[2] = { x.x[SLIP] / size, x.x[SLIP + 1] / size };
        struct routh y = { .a = x.a,
                           .b = x.b[0] * u[0] + x.b[1] * u[1],
                           .rate = x.x[RATE],
                           .slip = size,
                           .sliding = x.sliding,
                           .sticking = x.sticking };
        y.d = u[0] * (x.d[0][0] * u[0] + x.d[0][1] * u[1]) + u[1] * (x.d[1][0] * u[0] + x.d[1][1] * u[1]);
        if (!routh(&y, restitution_of(c, i))) return NULL;
        x.normal = y.normal;
        for (int j = 0; j < 2; j++) x.x[TANGENT + j] = y.tangential * u[j];
    } else if (!follow(&x, restitution_of(c, i))) return NULL;
    impulse[i] = x.normal;
    push(c, v, i, x.normal);
    for (size_t j = 0; j < 2; j++) push(c, v, s + j, x.x[TANGENT + j]);
    return "Stronge's restitution with Coulomb's friction";
}

static const char *with_friction(struct actio_contacts *c, size_t i, size_t r, double *v, double *impulse)
{
    size_t s = c->contacts + c->rub[r].slip;
    const double *rub = actio_rub_of(c, r);
    if (c->rub[r].slips > 1) return by_cone(c, i, r, v, impulse);
    double slip = actio_slip_of(c, c->rub[r].slip)[0], nothing = APPROACHES * actio_kinetic_speed(c, s, v);
    struct routh x = { .a = mobility(c, i, i),
                       .b = mobility(c, s, i),
                       .d = mobility(c, s, s),
                       .rate = impact_rate_of(c, i),
                       .slip = fabs(slip) > nothing ? slip : 0,
                       .sliding = rub[ACTIO_RUB_SLIDING] * rub[ACTIO_RUB_SCALE],
                       .sticking = rub[ACTIO_RUB_STICKING] * rub[ACTIO_RUB_SCALE] };
    if (!(x.a > 0)) return NULL;
    if (!(x.d > 0)) return newton(c, i, v, impulse);
    if (!routh(&x, restitution_of(c, i))) return NULL;
    impulse[i] = x.normal;
    push(c, v, i, x.normal);
    push(c, v, s, x.tangential);
    return "Stronge's restitution with Coulomb's friction";
}

/* ---- several at once */

/* Unknowns: normal impulses of k contacts, friction along each facet, one bound for each rub. */
struct many {
    struct actio_contacts *c;
    const size_t *contact;
    size_t k;
    /* column: of the first slip; of: place of the contact */
    struct facet {
        size_t column, rub, of;
        double part[2];
    } * facet;
    size_t facets, rubs, n;
    size_t *rub_at; /* by rub: of which contact, by place */
    double *share;  /* by rub */
    double *M, *scaled, *scale, *q, *z, *normal, *tangent, *before, *work;
    int *basis;
};

static void list_facets(struct many *x)
{
    struct actio_contacts *c = x->c;
    for (size_t i = 0; i < x->k; i++) {
        size_t r = rough_rub(c, x->contact[i]);
        if (r == SIZE_MAX || !(actio_rub_of(c, r)[ACTIO_RUB_SLIDING] > 0)) continue;
        size_t count = c->rub[r].slips > 1 ? FACETS : 2;
        x->rub_at[x->rubs] = i;
        x->share[x->rubs] = actio_rub_of(c, r)[ACTIO_RUB_SLIDING] * actio_rub_of(c, r)[ACTIO_RUB_SCALE];
        for (size_t f = 0; f < count; f++) {
            double angle = 2 * 3.14159265358979323846 * (double)f / (double)count;
            x->facet[x->facets++] =
                (struct facet){ c->contacts + c->rub[r].slip,
                                x->rubs,
                                i,
                                { count == 2 ? (f ? -1 : 1) : cos(angle), count == 2 ? 0 : sin(angle) } };
        }
        x->rubs++;
    }
    x->n = x->k + x->facets + x->rubs;
}

static bool is_flat(const struct many *x, const struct facet *f)
{
    return x->c->columns == f->column + 1 || f->part[1] == 0;
}

/* row of (contact i or facet f) times the answer to (contact or facet). */
static double coupling(const struct many *x, size_t a, size_t b)
{
    struct actio_contacts *c = x->c;
    const struct facet *f = a < x->k ? NULL : &x->facet[a - x->k], *g = b < x->k ? NULL : &x->facet[b - x->k];
    double sum = 0;
    for (size_t i = 0; i < (f && !is_flat(x, f) ? 2u : 1u); i++)
        for (size_t j = 0; j < (g && !is_flat(x, g) ? 2u : 1u); j++)
            sum += (f ? f->part[i] : 1) * (g ? g->part[j] : 1)
                   * mobility(c, f ? f->column + i : x->contact[a], g ? g->column + j : x->contact[b]);
    return sum;
}

static double speed_before(const struct many *x, size_t a)
{
    if (a < x->k) return impact_rate_of(x->c, x->contact[a]);
    const struct facet *f = &x->facet[a - x->k];
    double slip = f->part[0] * actio_slip_of(x->c, f->column - x->c->contacts)[0];
    return is_flat(x, f) ? slip : slip + f->part[1] * actio_slip_of(x->c, f->column + 1 - x->c->contacts)[0];
}

static void form_matrix(struct many *x)
{
    size_t n = x->n, bodies = x->k + x->facets;
    memset(x->M, 0, n * n * sizeof *x->M);
    for (size_t a = 0; a < bodies; a++) {
        for (size_t b = 0; b < bodies; b++) x->M[a * n + b] = coupling(x, a, b);
        x->before[a] = speed_before(x, a);
    }
    for (size_t f = 0; f < x->facets; f++) {
        x->M[(x->k + f) * n + bodies + x->facet[f].rub] = 1;
        x->M[(bodies + x->facet[f].rub) * n + x->k + f] = -1;
    }
    for (size_t r = 0; r < x->rubs; r++) x->M[(bodies + r) * n + x->rub_at[r]] = x->share[r];
}

/* Units of the unknowns: impulses by the mobility they meet, bounds by that of their facets. */
static void scale_matrix(struct many *x)
{
    size_t n = x->n, bodies = x->k + x->facets;
    for (size_t a = 0; a < bodies; a++) x->scale[a] = x->M[a * n + a] > 0 ? 1 / sqrt(x->M[a * n + a]) : 1;
    for (size_t f = 0; f < x->facets; f++) x->scale[bodies + x->facet[f].rub] = 1 / x->scale[x->k + f];
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) x->scaled[a * n + b] = x->scale[a] * x->M[a * n + b] * x->scale[b];
}

/* One phase: impulses beyond `least` (by contact), from the speeds at its beginning. */
static int one_phase(struct many *x, const double *speed, const double *least)
{
    size_t n = x->n, bodies = x->k + x->facets;
    double unit = 0;
    for (size_t a = 0; a < n; a++) {
        x->q[a] = a < bodies ? speed[a] : 0;
        for (size_t i = 0; least && i < x->k; i++) x->q[a] += x->M[a * n + i] * least[i];
        x->q[a] *= x->scale[a];
        unit = fmax(unit, fabs(x->q[a]));
    }
    for (size_t a = 0; a < n && unit > 0; a++) x->q[a] /= unit;
    if (actio_lcp(n, x->scaled, x->q, x->z, x->work, x->basis)) return 1;
    for (size_t i = 0; i < x->k; i++) x->normal[i] = unit * x->scale[i] * x->z[i] + (least ? least[i] : 0);
    for (size_t f = 0; f < x->facets; f++) x->tangent[f] = unit * x->scale[x->k + f] * x->z[x->k + f];
    return 0;
}

/* Both phases with restitutions times `factor`: the impulses, and the work that contacts did. */
static int both_phases(struct many *x, double factor, double *total, double *work)
{
    size_t bodies = x->k + x->facets;
    double *speed = total + bodies, *least = speed + bodies;
    if (one_phase(x, x->before, NULL)) return 1;
    memcpy(total, x->normal, x->k * sizeof *total);
    memcpy(total + x->k, x->tangent, x->facets * sizeof *total);
    for (size_t a = 0; a < bodies; a++) {
        speed[a] = x->before[a];
        for (size_t b = 0; b < bodies; b++) speed[a] += x->M[a * x->n + b] * total[b];
    }
    for (size_t i = 0; i < x->k; i++) least[i] = factor * restitution_of(x->c, x->contact[i]) * total[i];
    if (one_phase(x, speed, least)) return 1;
    for (size_t i = 0; i < x->k; i++) total[i] += x->normal[i];
    for (size_t f = 0; f < x->facets; f++) total[x->k + f] += x->tangent[f];
    *work = 0;
    for (size_t a = 0; a < bodies; a++) {
        double after = x->before[a];
        for (size_t b = 0; b < bodies; b++) after += x->M[a * x->n + b] * total[b];
        *work += 0.5 * total[a] * (x->before[a] + after);
    }
    return 0;
}

/* No more restitution than leaves the energy. */
static int no_gain(struct many *x, double *total)
{
    double work, size = 0, low = 0, high = 1;
    if (both_phases(x, 1, total, &work)) return 1;
    for (size_t a = 0; a < x->k + x->facets; a++) size += fabs(total[a] * x->before[a]);
    if (work <= 1e-13 * size) return 0;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (both_phases(x, middle, total, &work)) return 1;
        if (work > 0) high = middle;
        else low = middle;
    }
    return both_phases(x, low, total, &work);
}

static const char *all_at_once(struct actio_contacts *c, const size_t *contact, size_t k, double *v, double *impulse)
{
    size_t facets = 0;
    for (size_t i = 0; i < k; i++) facets += rough_rub(c, contact[i]) != SIZE_MAX ? FACETS : 0;
    size_t most = 2 * k + facets,
           doubles = 2 * most * most + 8 * most + 3 * (k + facets) + k + actio_lcp_work(most) + 1;
    struct many x = { .c = c, .contact = contact, .k = k };
    double *block = actio_contacts_room(c, ACTIO_ROOM_IMPACT,
                                        doubles * sizeof *block + facets * sizeof *x.facet + (k + 1) * sizeof *x.rub_at
                                            + (most + 1) * sizeof *x.basis),
           *next = block;
    bool ok = block != NULL;
    if (!ok) return NULL;
    x.facet = (struct facet *)(void *)(block + doubles);
    x.rub_at = (size_t *)(void *)(x.facet + facets);
    x.basis = (int *)(void *)(x.rub_at + k + 1);
    double **part[] = { &x.M, &x.scaled, &x.scale, &x.q, &x.z, &x.normal, &x.tangent, &x.before, &x.share }, *total;
    for (size_t i = 0; ok && i < sizeof part / sizeof *part; i++) {
        *part[i] = next;
        next += i < 2 ? most * most : most;
    }
    total = next;
    x.work = next + 3 * (k + facets) + k;
    if (ok) {
        list_facets(&x);
        form_matrix(&x);
        scale_matrix(&x);
        ok = no_gain(&x, total) == 0;
    }
    for (size_t i = 0; ok && i < k; i++) {
        impulse[contact[i]] = total[i];
        push(c, v, contact[i], total[i]);
    }
    for (size_t f = 0; ok && f < x.facets; f++)
        for (size_t j = 0; j < (is_flat(&x, &x.facet[f]) ? 1u : 2u); j++)
            push(c, v, x.facet[f].column + j, x.facet[f].part[j] * total[k + f]);
    return ok ? "Poisson's restitution, all contacts at once" : NULL;
}

/* ---- who depends on whom */

static bool depend(struct actio_contacts *c, size_t i, size_t j)
{
    size_t r = rough_rub(c, i), s = rough_rub(c, j);
    double size = sqrt(fabs(mobility(c, i, i) * mobility(c, j, j)));
    if (fabs(mobility(c, i, j)) > 1e-12 * size) return true;
    for (size_t a = 0; r != SIZE_MAX && a < c->rub[r].slips; a++) {
        size_t column = c->contacts + c->rub[r].slip + a;
        if (fabs(mobility(c, j, column)) > 1e-12 * sqrt(fabs(mobility(c, column, column) * mobility(c, j, j))))
            return true;
        for (size_t b = 0; s != SIZE_MAX && b < c->rub[s].slips; b++) {
            size_t other = c->contacts + c->rub[s].slip + b;
            if (fabs(mobility(c, other, column))
                > 1e-12 * sqrt(fabs(mobility(c, column, column) * mobility(c, other, other))))
                return true;
        }
    }
    for (size_t b = 0; s != SIZE_MAX && b < c->rub[s].slips; b++) {
        size_t other = c->contacts + c->rub[s].slip + b;
        if (fabs(mobility(c, i, other)) > 1e-12 * sqrt(fabs(mobility(c, i, i) * mobility(c, other, other))))
            return true;
    }
    return false;
}

/* Those that touch and depend on `first`, directly or through others; each belongs to one group only. */
static size_t impact_gather(struct actio_contacts *c, size_t first, bool *taken, size_t *group)
{
    size_t count = 0;
    group[count++] = first;
    taken[first] = true;
    for (size_t at = 0; at < count; at++)
        for (size_t i = 0; i < c->contacts; i++)
            if (c->touch[i] && !taken[i] && depend(c, group[at], i)) {
                group[count++] = i;
                taken[i] = true;
            }
    return count;
}

const char *actio_contacts_impact(struct actio_contacts *c, double *v, double *impulse)
{
    size_t *group = actio_contacts_room(c, ACTIO_ROOM_GROUP, (c->contacts + 1) * (sizeof *group + sizeof(bool)));
    bool *taken = group ? (bool *)(void *)(group + c->contacts + 1) : NULL;
    const char *rule = group ? "" : NULL;
    memset(impulse, 0, c->contacts * sizeof *impulse);
    double *before = c->y;
    memcpy(before, v, c->N * sizeof *v); /* groups do not touch each other: all see the velocities before */
    for (size_t i = 0; rule && i < c->contacts; i++) {
        if (!c->touch[i] || taken[i] || !(impact_rate_of(c, i) < -APPROACHES * actio_kinetic_speed(c, i, before)))
            continue;
        size_t count = impact_gather(c, i, taken, group), r = rough_rub(c, i);
        rule = count > 1       ? all_at_once(c, group, count, v, impulse)
               : r == SIZE_MAX ? newton(c, i, v, impulse)
                               : with_friction(c, i, r, v, impulse);
    }
    return rule;
}

/* Friction so strong that no force can hold a sliding contact, whatever it is: only an impulse stops the slip, without
 * an impact before it. */
bool actio_contacts_jam(struct actio_contacts *c, size_t contact, double *v, double *impulse)
{
    size_t r = rough_rub(c, contact);
    memset(impulse, 0, c->contacts * sizeof *impulse);
    return r != SIZE_MAX && with_friction(c, contact, r, v, impulse) && impulse[contact] > 0;
}
