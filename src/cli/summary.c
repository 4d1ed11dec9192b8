/* SPDX-License-Identifier: Apache-2.0
 * The summary of a run for people: what was solved, where it ended, how good it is, what it cost.
 * A number shows as many digits as its estimated error supports. */
#include "cli/cli.h"

#include <math.h>
#include <string.h>

enum { MOST = 20, CELL = 40 };

static const char coordinates[] = "coordinates", states[] = "states", rates[] = "velocities", held[] = "held values";

static bool has_role(const struct actio_table *table, size_t column, const char *role)
{
    return strcmp(actio_table_role(table, column), role) == 0;
}

static size_t count_role(const struct actio_table *table, const char *role)
{
    size_t n = 0;
    for (size_t i = 0; i < actio_table_columns(table); i++) n += has_role(table, i, role);
    return n;
}

/* One number a row, and that role. */
static bool is_point(const struct actio_table *table, size_t column, const char *role)
{
    return has_role(table, column, role) && actio_table_nodes(table, column) == 0;
}

static size_t count_points(const struct actio_table *table, const char *role)
{
    size_t n = 0;
    for (size_t i = 0; i < actio_table_columns(table); i++) n += is_point(table, i, role);
    return n;
}

/* x to the place of its error: 12.566370614 with 3e-10. Without an estimate six digits. */
static void supported_digits(double x, double error, char cell[CELL])
{
    if (!isfinite(x) || isnan(error)) {
        snprintf(cell, CELL, "%.6g", x);
        return;
    }
    if (fabs(x) < error) {
        snprintf(cell, CELL, "0");
        return;
    }
    int lead = x != 0 ? (int)floor(log10(fabs(x))) : 0;
    int last = error > 0 ? (int)floor(log10(error)) : lead - 14;
    if (last < lead - 14) last = lead - 14;
    if (x == 0) snprintf(cell, CELL, "0");
    else if (lead < -4 || lead > 9 || last > 0) snprintf(cell, CELL, "%.*e", lead > last ? lead - last : 0, x);
    else snprintf(cell, CELL, "%.*f", -last, x);
}

/* 3e-7, where C would write 3e-07. */
static const char *power(double x, int digits, char cell[CELL])
{
    snprintf(cell, CELL, "%.*e", digits, x);
    char *e = strchr(cell, 'e');
    if (e && e[2] == '0') memmove(e + 2, e + 3, strlen(e + 3) + 1);
    return cell;
}

static void error_cell(double error, char cell[CELL])
{
    if (isnan(error)) snprintf(cell, CELL, "?");
    else if (error > 0) power(error, 0, cell);
    else snprintf(cell, CELL, "0");
}

static void print_cells(const struct actio_table *table, size_t column)
{
    char value[CELL], error[CELL];
    double e = actio_table_error(table, column);
    supported_digits(actio_table_data(table, column)[actio_table_rows(table) - 1], e, value);
    error_cell(e, error);
    printf("  %19s %7s", value, error);
}

static void print_name(const struct actio_table *table, size_t column, int widest)
{
    const char *name = actio_table_name(table, column), *unit = actio_table_unit(table, column),
               *axis = actio_table_axis(table, column);
    size_t width =
        actio_cli_width(name) + (*unit ? actio_cli_width(unit) + 3 : 0) + (*axis ? actio_cli_width(axis) + 2 : 0);
    printf("  ");
    actio_cli_text(stdout, name);
    if (*axis) {
        printf("(");
        actio_cli_text(stdout, axis);
        printf(")");
    }
    if (*unit) {
        printf(" [");
        actio_cli_text(stdout, unit);
        printf("]");
    }
    for (; width < (size_t)widest; width++) putchar(' ');
}

/* Coordinates and states, each beside its derivative. */
static size_t print_state(const struct actio_table *table, int widest)
{
    size_t rate = 0, shown = 0, columns = actio_table_columns(table),
           count = count_points(table, coordinates) + count_points(table, states);
    bool paired = count && count_points(table, rates) == count;
    while (rate < columns && !is_point(table, rate, rates)) rate++;
    printf("\n%s  %-*s  %19s %7s", actio_cli_paint(stdout, 'd'), widest, "at the end", "value", "error");
    printf(paired ? "  %19s %7s%s\n" : "%.0s%.0s%s\n", "derivative", "error", actio_cli_paint(stdout, ' '));
    for (size_t i = 0; i < columns; i++) {
        if (!is_point(table, i, coordinates) && !is_point(table, i, states)) continue;
        if (shown++ >= MOST) continue;
        print_name(table, i, widest);
        print_cells(table, i);
        if (paired) print_cells(table, rate++);
        while (paired && rate < columns && !is_point(table, rate, rates)) rate++;
        putchar('\n');
    }
    return shown > MOST ? shown - MOST : 0;
}

static size_t print_others(const struct actio_table *table, int widest)
{
    static const char *const roles[] = { held, "quasi-velocities", "multipliers", "energy", "charges", "observed" };
    size_t shown = 0;
    for (size_t r = 0; r < sizeof roles / sizeof *roles; r++) {
        for (size_t i = 0; i < actio_table_columns(table); i++) {
            if (!is_point(table, i, roles[r]) || shown++ >= MOST) continue;
            print_name(table, i, widest);
            print_cells(table, i);
            putchar('\n');
        }
    }
    return shown > MOST ? shown - MOST : 0;
}

/* Fields: the least and the largest of their nodes. */
static void print_span(const struct actio_table *table, size_t column)
{
    size_t nodes = actio_table_nodes(table, column);
    const double *x = actio_table_data(table, column) + (actio_table_rows(table) - 1) * nodes;
    double least = x[0], most = x[0], e = actio_table_error(table, column);
    char low[CELL], high[CELL], error[CELL];
    for (size_t k = 1; k < nodes; k++) {
        least = fmin(least, x[k]);
        most = fmax(most, x[k]);
    }
    supported_digits(least, e, low);
    supported_digits(most, e, high);
    error_cell(e, error);
    printf("  %19s %19s %7s\n", low, high, error);
}

static size_t print_fields(const struct actio_table *table, int widest)
{
    static const char *const roles[] = { "coordinates", "velocities", "quasi-velocities", "multipliers", "observed" };
    size_t shown = 0;
    for (size_t r = 0; r < sizeof roles / sizeof *roles; r++)
        for (size_t i = 0; i < actio_table_columns(table); i++) {
            if (!has_role(table, i, roles[r]) || actio_table_nodes(table, i) == 0 || shown++ >= MOST) continue;
            if (shown == 1)
                printf("\n%s  %-*s  %19s %19s %7s%s\n", actio_cli_paint(stdout, 'd'), widest, "fields at end", "least",
                       "largest", "error", actio_cli_paint(stdout, ' '));
            print_name(table, i, widest);
            print_span(table, i);
        }
    return shown > MOST ? shown - MOST : 0;
}

static size_t count_fields(const struct actio_table *table)
{
    return count_role(table, coordinates) - count_points(table, coordinates);
}

static int widest_name(const struct actio_table *table)
{
    size_t widest = strlen("largest residual");
    for (size_t i = 0; i < actio_table_columns(table); i++) {
        const char *unit = actio_table_unit(table, i), *axis = actio_table_axis(table, i);
        size_t width = actio_cli_width(actio_table_name(table, i)) + (*unit ? actio_cli_width(unit) + 3 : 0)
                       + (*axis ? actio_cli_width(axis) + 2 : 0);
        if (width > widest && width <= 24) widest = width;
    }
    return (int)widest;
}

static void print_count(size_t n, const char *one, const char *many, const char **separator)
{
    if (!n) return;
    printf("%s%zu %s", *separator, n, n == 1 ? one : many);
    *separator = ", ";
}

/* The description up to its first stop, as in the list of the gallery. */
static void first_phrase(const char *description, char *title, size_t size)
{
    snprintf(title, size, "%s", description);
    for (char *p = title; *p; p++)
        if (*p == '\n' || *p == '\r') *p = ' ';
    for (char *p = title; *p; p++) {
        bool stop = strchr(":;.", p[0]) && (p[1] == ' ' || p[1] == 0);
        bool source = p[0] == ' ' && p[1] == '(' && p[2] >= 'A' && p[2] <= 'Z';
        if (stop || source) *p = 0;
        if (!*p) return;
    }
}

static void print_head(const struct actio_model *model, const struct actio_table *table,
                       const struct actio_run_info *info)
{
    const char *description = actio_model_description(model), *separator = "  ";
    char title[200];
    first_phrase(description, title, sizeof title);
    fputs(actio_cli_paint(stdout, 'b'), stdout);
    actio_cli_text(stdout, actio_model_name(model));
    printf("%s%s", actio_cli_paint(stdout, ' '), *title ? ": " : "");
    actio_cli_text(stdout, title);
    printf("\n\n");
    print_count(count_fields(table), "field", "fields", &separator);
    print_count(count_points(table, coordinates), "coordinate", "coordinates", &separator);
    print_count(count_role(table, states), "state", "states", &separator);
    print_count(count_role(table, "constraint residuals"), "constraint", "constraints", &separator);
    printf("; by %s with %s", info->by ? info->by : "?", info->method ? info->method : "?");
    if (info->tier && *info->tier) printf(" (%s)", strcmp(info->tier, "interpret") == 0 ? "interpreted" : "compiled");
    const double *t = actio_table_data(table, 0);
    size_t rows = actio_table_rows(table);
    printf("\n  t = %.10g .. %.10g, %zu rows\n", t[0], t[rows - 1], rows);
}

static void print_accuracy(const struct actio_run_info *info, int widest)
{
    char asked[CELL], worst[CELL];
    power(info->local_only ? info->local : info->tol, 0, asked);
    error_cell(info->worst_error, worst);
    printf("  %-*s  ", widest, "accuracy");
    if (info->local_only) printf("local tolerance %s; global error not estimated\n", asked);
    else if (info->reached) printf("tolerance %s met: largest relative error %s\n", asked, worst);
    else printf("tolerance %s not met: it holds until t = %.6g\n", asked, info->holds_until);
}

/* The energy of a driven motion is not conserved; work that the rows do not resolve is not reported. */
static void print_balance(const struct actio_run_info *info, int widest)
{
    char off[CELL], change[CELL];
    bool known = info->energy_less_work > info->work_error, resolved = info->work_error <= 1e-3 * info->energy_drift;
    if (!known && !resolved) {
        printf("  %-*s  %s: forces do work, and the rows are too few to resolve it (--points)\n", widest,
               "energy change", power(info->energy_drift, 1, change));
        return;
    }
    power(known ? info->energy_less_work : info->work_error, 1, off);
    printf("  %-*s  %s%s (forces do work: the energy changes by %s)\n", widest, "energy less work",
           known ? "" : "below ", off, power(info->energy_drift, 1, change));
}

static void print_event(const struct actio_table *table, size_t i, int widest)
{
    struct actio_event_info e = actio_table_event(table, i);
    char t[CELL], error[CELL];
    supported_digits(e.t, e.error, t);
    error_cell(e.error, error);
    printf("  %-*s  %19s %7s  %s ", widest, "", t, error, e.kind);
    actio_cli_text(stdout, e.name);
    if (e.line) printf(" (line %zu)", e.line);
    putchar('\n');
}

/* The first few and the last few. */
static void print_events(const struct actio_table *table, int widest)
{
    enum { FIRST = 3, LAST = 2 };
    size_t count = actio_table_events(table), first = count > FIRST + LAST + 1 ? FIRST : count;
    if (count == 0) return;
    printf("  %-*s  %zu\n", widest, "events", count);
    for (size_t i = 0; i < first; i++) print_event(table, i, widest);
    if (first == count) return;
    printf("  %-*s  %19s\n", widest, "", "...");
    for (size_t i = count - LAST; i < count; i++) print_event(table, i, widest);
}

static void print_cost(const struct actio_table *table, const struct actio_run_info *info, int widest)
{
    putchar('\n');
    char cell[CELL];
    if (isfinite(info->energy_less_work)) print_balance(info, widest);
    else if (isfinite(info->energy_drift))
        printf("  %-*s  %s\n", widest, "energy drift", power(info->energy_drift, 1, cell));
    if (isfinite(info->residual)) printf("  %-*s  %s\n", widest, "largest residual", power(info->residual, 1, cell));
    print_accuracy(info, widest);
    print_events(table, widest);
    printf("  %-*s  %zu steps (%zu rejected), %zu right-hand sides, %.3g s\n", widest, "cost", info->steps,
           info->rejected, info->rhs, info->seconds);
}

static void print_files(const struct actio_cli_arguments *a, int widest)
{
    const char *separator = "";
    const struct {
        const char **path;
        size_t count;
    } list[] = {
        { a->output, a->outputs }, { a->events, a->event_lists }, { a->plot, a->plots }, { a->animation, a->animations }
    };
    if (a->outputs + a->event_lists + a->plots + a->animations == 0) return;
    printf("  %-*s  ", widest, "written");
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (size_t i = 0; i < list[k].count; i++, separator = ", ") {
            fputs(separator, stdout);
            actio_cli_text(stdout, list[k].path[i]);
        }
    putchar('\n');
}

static void print_gradient(const struct actio_table *table)
{
    const char *of = "";
    for (size_t i = 0; i < actio_table_slopes(table); i++) {
        struct actio_slope_row row = actio_table_slope(table, i);
        char value[CELL], error[CELL];
        if (row.of != of) printf("\n  derivatives of %s at the end\n", of = row.of);
        supported_digits(row.derivative, row.error, value);
        error_cell(row.error, error);
        printf("  by %-14s %19s %7s\n", row.by, value, error);
    }
}

static void print_proof(const struct actio_table *table)
{
    struct actio_proof_info p;
    char a[CELL], b[CELL], c[CELL];
    if (!actio_table_proof(table, &p)) return;
    printf("\n  the doubled action on %zu points, order %d: %zu unknowns, started with paths %.1g apart\n", p.proved,
           p.order, p.unknowns, p.started);
    printf("  after %zu steps: largest of grad S %s, of the paths' difference %s, of the multipliers' %s\n",
           p.iterations, power(p.gradient, 1, a), power(p.minus, 1, b), power(p.minus_multipliers, 1, c));
    printf("  distance from the solution without doubling %s\n", power(p.apart, 1, a));
    printf("  %8s  %12s  %12s\n", "points", "error", "at the end");
    for (size_t i = 0; i < 3; i++)
        printf("  %8zu  %12s  %12s\n", p.points[i], power(p.error[i], 1, a), power(p.end[i], 1, b));
    if (isfinite(p.rate)) printf("  order       %10.1f", p.rate);
    else printf("  order       %10s", "rounding");
    if (isfinite(p.rate_end)) printf("  %12.1f\n", p.rate_end);
    else printf("  %12s\n", "rounding");
}

static void print_dual(const struct actio_table *table, int widest)
{
    struct actio_dual_info d;
    char a[CELL];
    if (!actio_table_dual(table, &d)) return;
    printf("\n  %-*s  closure %s; %zu slab%s, %zu elements of degree %zu, %zu Newton steps\n", widest, "dual action",
           d.closure, d.slabs, d.slabs == 1 ? "" : "s", d.elements, d.degree, d.newton);
    if (isfinite(d.action)) printf("  %-*s  %.12g\n", widest, "its value", d.action);
    if (isfinite(d.hamiltonian))
        printf("  %-*s  %.12g, drift %s\n", widest, "its Hamiltonian", d.hamiltonian, power(d.hamiltonian_drift, 1, a));
    printf("  %-*s  %.6g\n", widest, "smallest of M", d.min_eigenvalue);
    printf("  %-*s  %s\n", widest, "largest dual", power(d.max_dual, 1, a));
    printf("  %-*s  %s\n", widest, "detector", power(d.detector, 1, a));
}

void actio_cli_gradient_csv(const struct actio_table *table)
{
    printf("of,by,derivative,error\n");
    for (size_t i = 0; i < actio_table_slopes(table); i++) {
        struct actio_slope_row row = actio_table_slope(table, i);
        printf("%s,%s,%.17g,%.2g\n", row.of, row.by, row.derivative, row.error);
    }
}

void actio_cli_summary(const struct actio_model *model, const struct actio_table *table,
                       const struct actio_cli_arguments *a, bool written)
{
    struct actio_run_info info = actio_table_info(table);
    int widest = widest_name(table);
    print_head(model, table, &info);
    size_t more = print_state(table, widest);
    more += print_others(table, widest);
    more += print_fields(table, widest);
    if (more) printf("  and %zu more columns in the output\n", more);
    print_gradient(table);
    print_proof(table);
    print_dual(table, widest);
    print_cost(table, &info, widest);
    if (written) print_files(a, widest);
}
