/* SPDX-License-Identifier: Apache-2.0
 * Every function of the public header, with every set of its pointers NULL, and indices at 0 and beyond the end: none
 * crashes. The list below is checked against the header. */
#define _XOPEN_SOURCE 700
#include <actio/actio.h>

#include "check.h"

#ifdef ACTIO_NATIVE
#include <ctype.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

/* One of each that there is. */
struct world {
    struct actio_context *ctx;
    struct actio_findings *f;
    struct actio_model *model;
    struct actio_table *table;
    struct actio_comparison *comparison;
    struct actio_orbits *orbits;
    struct actio_modes *modes;
    struct actio_derivation *derivation;
    struct actio_action *action;
    struct actio_dual_action *dual;
    struct actio_flow *flow;
    struct actio_integrator *integrator;
    bool bound;
    struct actio_model *resting;
    struct actio_limits limits;
    struct actio_run_options run;
    struct actio_action_options grid;
    struct actio_dual_action_options elements;
    struct actio_orbit_options orbit;
    struct actio_change change[1];
    struct actio_box_row box[1];
    const char *by[1];
    const struct actio_option_row *options;
    const struct actio_command_row *commands;
    const struct actio_example *examples;
    const struct actio_language_row *language;
    const struct actio_action_slice *slices;
    const double *numbers[2];
    const uint32_t *entries[2];
    const char *const *names;
    struct actio_verdict_report report;
    struct actio_proof_info proof;
    struct actio_dual_info reported;
    char text[64];
    double *x, *y; /* x, y: longer than any action needs; at: the index */
    size_t n, m, at;
};

static const char text[] = "coord x\nparam k = 1\nlagrangian x'^2/2 - k*x^2/2 - x^4/4\nstart x = 1\ntime 0 .. "
                           "8\nexpect x at 0 = 1 within 1e-6\n";
static const char rests[] = "coord x\nlagrangian x'^2/2 - x^2/2\ntime 0 .. 1\n";

static int push(void *user, double t, const double *y, size_t size, double *value, double *dt, double *dy)
{
    (void)user;
    (void)t;
    (void)y;
    (void)size;
    (void)dt;
    (void)dy;
    *value = 0;
    return 0;
}

enum { ROOM = 1 << 20 };

static struct actio_model *model_of(struct world *w, const char *model)
{
    return actio_model_read_string(w->ctx, "a.act", model, strlen(model), NULL, 0, w->f);
}

static const struct actio_option_row *row_of(struct world *w)
{
    size_t count = actio_options(&w->options);
    return &w->options[w->at % count];
}

static struct world open_world(void)
{
    struct world w = { .run = actio_run_options_default(),
                       .orbit = actio_orbit_options_default(),
                       .change = { { ACTIO_CHANGE_PARAM, "k=2" } },
                       .box = { { "x=0..1" } },
                       .by = { "dalembert" } };
    w.ctx = actio_context_create(NULL);
    w.f = actio_findings_create(w.ctx);
    w.model = model_of(&w, text);
    w.run.no_compile = w.orbit.run.no_compile = true;
    w.run.points = 5;
    w.grid.grid = 8;
    w.elements.grid = 32;
    w.table = actio_run(w.ctx, w.model, &w.run, w.f);
    w.comparison = actio_compare(w.ctx, w.model, &w.run, w.by, 1, w.f);
    w.orbits = actio_orbit_search(w.ctx, w.model, &w.orbit, w.f);
    w.resting = model_of(&w, rests);
    w.modes = actio_modes_find(w.ctx, w.resting, 1, w.f);
    w.derivation = actio_derive(w.ctx, w.model, NULL, NULL, w.f);
    w.action = actio_action_create(w.ctx, w.model, &w.grid, w.f);
    w.dual = actio_dual_action_create(w.ctx, w.model, &w.elements, w.f);
    w.flow = actio_flow_create(w.ctx, w.model, NULL, w.f);
    w.integrator = actio_integrator_create(w.ctx, w.model, &w.run, w.f);
    w.x = calloc(ROOM, sizeof *w.x);
    w.y = calloc(ROOM, sizeof *w.y);
    for (size_t i = 0; i < actio_findings_count(w.f); i++) printf("    %s\n", actio_findings_message(w.f, i).message);
    CHECK(w.table && w.comparison && w.orbits && w.modes && w.derivation && w.action && w.dual && w.flow && w.integrator
          && w.x && w.y);
    return w;
}

static void close_world(struct world *w)
{
    actio_table_free(w->table);
    actio_comparison_free(w->comparison);
    actio_orbits_free(w->orbits);
    actio_modes_free(w->modes);
    actio_derivation_free(w->derivation);
    actio_action_free(w->action);
    actio_dual_action_free(w->dual);
    actio_flow_free(w->flow);
    actio_integrator_free(w->integrator);
    actio_model_free(w->resting);
    actio_model_free(w->model);
    actio_findings_free(w->f);
    actio_context_free(w->ctx);
    free(w->x);
    free(w->y);
}

/* ---- the list: name, number of pointers, arguments. P(i, pointer): NULL where bit i of the mask is set */

#define P(i, pointer) (mask & 1u << (i) ? NULL : (pointer))
/* clang-format off */
#define LIST(CALL) \
    CALL(version, 0, ()) CALL(version_details, 0, ()) CALL(context_create, 1, (P(0, &w->limits))) \
    CALL(context_free, 1, (P(0, actio_context_create(NULL)))) CALL(findings_create, 1, (P(0, w->ctx))) \
    CALL(findings_free, 1, (P(0, actio_findings_create(w->ctx)))) CALL(findings_count, 1, (P(0, w->f))) \
    CALL(findings_dropped, 1, (P(0, w->f))) CALL(findings_status, 1, (P(0, w->f))) \
    CALL(findings_message, 1, (P(0, w->f), w->at)) \
    CALL(model_read, 4, (P(0, w->ctx), P(1, "disk"), P(2, w->change), w->at ? 0 : 1, P(3, w->f))) \
    CALL(model_read_string, 5, (P(0, w->ctx), P(1, "a.act"), P(2, text), w->at ? 0 : strlen(text), P(3, \
         w->change), w->at ? 0 : 1, P(4, w->f))) CALL(model_free, 1, (P(0, model_of(w, rests)))) \
    CALL(model_name, 1, (P(0, w->model))) CALL(model_description, 1, (P(0, w->model))) \
    CALL(model_claims, 1, (P(0, w->model))) CALL(model_text, 1, (P(0, w->model))) \
    CALL(model_params, 1, (P(0, w->model))) CALL(model_param, 1, (P(0, w->model), w->at)) \
    CALL(model_set_param, 3, (P(0, w->model), P(1, "k"), w->at ? NAN : 2, P(2, w->f))) \
    CALL(model_variables, 1, (P(0, w->model))) CALL(model_variable, 1, (P(0, w->model), w->at)) \
    CALL(model_helds, 1, (P(0, w->model))) CALL(model_held, 1, (P(0, w->model), w->at)) \
    CALL(model_set_start, 3, (P(0, w->model), P(1, "x_dot"), w->at ? NAN : 2, P(2, w->f))) \
    CALL(model_time, 3, (P(0, w->model), P(1, w->y), P(2, w->y))) \
    CALL(model_set_time, 2, (P(0, w->model), 0, w->at ? 0 : 2, P(1, w->f))) \
    CALL(model_bind, 4, (P(0, w->model), P(1, "motor"), P(2, push), w->at != 0, NULL, P(3, w->f))) \
    CALL(model_externals, 1, (P(0, w->model))) CALL(model_external, 2, (P(0, w->model), w->at, P(1, &w->bound))) \
    CALL(gallery, 1, (P(0, &w->examples))) CALL(templates, 1, (P(0, &w->examples))) \
    CALL(language, 1, (P(0, &w->language))) \
    CALL(options, 1, (P(0, &w->options))) \
    CALL(option_takes, 2, (P(0, row_of(w)), P(1, w->text), sizeof w->text)) \
    CALL(option_owners, 2, (P(0, row_of(w)), P(1, w->text), sizeof w->text)) \
    CALL(principle_owns, 2, (P(0, "skg"), P(1, row_of(w)))) CALL(commands, 1, (P(0, &w->commands))) \
    CALL(run_options_default, 0, ()) CALL(principle_name, 0, (w->at)) \
    CALL(run, 4, (P(0, w->ctx), P(1, w->model), P(2, &w->run), P(3, w->f))) \
    CALL(integrator_create, 4, (P(0, w->ctx), P(1, w->model), P(2, &w->run), P(3, w->f))) \
    CALL(integrator_free, 1, (P(0, w->integrator))) \
    CALL(integrator_to, 2, (P(0, w->integrator), w->at ? NAN : 1, P(1, w->f))) \
    CALL(integrator_time, 1, (P(0, w->integrator))) CALL(integrator_state, 2, (P(0, w->integrator), P(1, w->y))) \
    CALL(integrator_set_state, 3, (P(0, w->integrator), 0, P(1, w->x), P(2, w->f))) \
    CALL(integrator_held, 2, (P(0, w->integrator), P(1, w->y))) \
    CALL(integrator_held_name, 1, (P(0, w->integrator), w->at)) \
    CALL(integrator_events, 1, (P(0, w->integrator))) \
    CALL(integrator_save, 2, (P(0, w->integrator), P(1, w->y), w->at ? 1 : 8 * (size_t)ROOM)) \
    CALL(integrator_restore, 3, (P(0, w->integrator), P(1, w->x), w->at ? 1 : 8 * (size_t)ROOM, P(2, w->f))) \
    CALL(flow_create, 4, (P(0, w->ctx), P(1, w->model), P(2, "dalembert"), P(3, w->f))) \
    CALL(flow_free, 1, (P(0, w->flow))) CALL(flow_size, 1, (P(0, w->flow))) \
    CALL(flow_name, 1, (P(0, w->flow), w->at)) CALL(flow_start, 2, (P(0, w->flow), P(1, w->y))) \
    CALL(flow_rhs, 3, (P(0, w->flow), 0, P(1, w->x), P(2, w->y))) \
    CALL(flow_differentiable, 1, (P(0, w->flow))) \
    CALL(flow_jvp, 4, (P(0, w->flow), 0, P(1, w->x), P(2, w->x), P(3, w->y))) \
    CALL(flow_jacobian, 3, (P(0, w->flow), 0, P(1, w->x), P(2, w->y))) \
    CALL(flow_multipliers, 1, (P(0, w->flow))) CALL(flow_multiplier_name, 1, (P(0, w->flow), w->at)) \
    CALL(flow_multiplier_values, 3, (P(0, w->flow), 0, P(1, w->x), P(2, w->y))) \
    CALL(flow_project, 2, (P(0, w->flow), 0, P(1, w->y))) \
    CALL(compare, 5, (P(0, w->ctx), P(1, w->model), P(2, &w->run), P(3, w->by), w->at ? 0 : 1, P(4, w->f))) \
    CALL(comparison_rows, 1, (P(0, w->comparison))) CALL(comparison_row, 1, (P(0, w->comparison), w->at)) \
    CALL(comparison_table, 1, (P(0, w->comparison))) \
    CALL(comparison_overlay, 5, (P(0, w->ctx), P(1, w->comparison), P(2, "x"), P(3, "/dev/null"), P(4, w->f))) \
    CALL(comparison_free, 1, (P(0, w->comparison))) \
    CALL(action_create, 4, (P(0, w->ctx), P(1, w->model), P(2, &w->grid), P(3, w->f))) \
    CALL(action_free, 1, (P(0, w->action))) CALL(action_size, 1, (P(0, w->action))) \
    CALL(action_slices, 2, (P(0, w->action), P(1, &w->slices))) \
    CALL(action_times, 2, (P(0, w->action), P(1, &w->numbers[0]))) \
    CALL(action_pattern, 3, (P(0, w->action), P(1, &w->entries[0]), P(2, &w->entries[1]))) \
    CALL(action_value, 3, (P(0, w->action), P(1, w->x), P(2, w->y))) \
    CALL(action_gradient, 3, (P(0, w->action), P(1, w->x), P(2, w->y))) \
    CALL(action_hessian, 3, (P(0, w->action), P(1, w->x), P(2, w->y))) \
    CALL(action_guess, 2, (P(0, w->action), P(1, w->x))) \
    CALL(action_solve, 3, (P(0, w->action), P(1, w->x), P(2, w->f))) \
    CALL(dual_action_create, 4, (P(0, w->ctx), P(1, w->model), P(2, &w->elements), P(3, w->f))) \
    CALL(dual_action_free, 1, (P(0, w->dual))) CALL(dual_action_size, 1, (P(0, w->dual))) \
    CALL(dual_action_slices, 2, (P(0, w->dual), P(1, &w->slices))) \
    CALL(dual_action_times, 2, (P(0, w->dual), P(1, &w->numbers[0]))) \
    CALL(dual_action_points, 3, (P(0, w->dual), P(1, &w->numbers[0]), P(2, &w->numbers[1]))) \
    CALL(dual_action_names, 3, (P(0, w->dual), P(1, &w->names), P(2, &w->n))) \
    CALL(dual_action_pattern, 3, (P(0, w->dual), P(1, &w->entries[0]), P(2, &w->entries[1]))) \
    CALL(dual_action_value, 3, (P(0, w->dual), P(1, w->x), P(2, w->y))) \
    CALL(dual_action_gradient, 3, (P(0, w->dual), P(1, w->x), P(2, w->y))) \
    CALL(dual_action_hessian, 3, (P(0, w->dual), P(1, w->x), P(2, w->y))) \
    CALL(dual_action_state, 4, (P(0, w->dual), P(1, w->x), P(2, w->y), P(3, w->y))) \
    CALL(dual_action_hamiltonian, 3, (P(0, w->dual), P(1, w->x), P(2, w->y))) \
    CALL(dual_action_least, 4, (P(0, w->dual), P(1, w->x), P(2, w->y), P(3, w->y + 1))) \
    CALL(dual_action_solve, 3, (P(0, w->dual), P(1, w->x), P(2, w->f))) CALL(orbit_options_default, 0, ()) \
    CALL(orbit_search, 4, (P(0, w->ctx), P(1, w->model), P(2, &w->orbit), P(3, w->f))) \
    CALL(orbits_free, 1, (P(0, w->orbits))) CALL(orbits_count, 1, (P(0, w->orbits))) \
    CALL(orbits_info, 1, (P(0, w->orbits), w->at)) CALL(orbits_name, 1, (P(0, w->orbits), w->at)) \
    CALL(orbits_point, 1, (P(0, w->orbits), w->at, 0)) CALL(orbits_multiplier, 1, (P(0, w->orbits), 0, w->at)) \
    CALL(orbits_levels, 2, (P(0, w->orbits), P(1, w->y))) \
    CALL(orbits_level, 2, (P(0, w->orbits), w->at, P(1, w->y))) CALL(orbits_branch_points, 1, (P(0, w->orbits))) \
    CALL(orbits_branch_point, 1, (P(0, w->orbits), w->at)) CALL(orbits_diagram, 1, (P(0, w->orbits))) \
    CALL(orbits_plot, 5, (P(0, w->ctx), P(1, w->orbits), P(2, "x"), P(3, "/dev/null"), P(4, w->f))) \
    CALL(orbits_table, 1, (P(0, w->orbits), w->at)) \
    CALL(test, 5, (P(0, w->ctx), P(1, w->model), P(2, &w->run), P(3, w->f), P(4, &w->n))) \
    CALL(check_model, 5, (P(0, w->ctx), P(1, w->model), P(2, w->box), w->at ? 0 : 1, P(3, w->f), P(4, \
         &w->report))) CALL(modes_find, 3, (P(0, w->ctx), P(1, w->model), w->at, P(2, w->f))) \
    CALL(modes_free, 1, (P(0, w->modes))) CALL(modes_count, 1, (P(0, w->modes))) \
    CALL(modes_all, 2, (P(0, w->modes), P(1, w->y))) CALL(modes_info, 1, (P(0, w->modes), w->at)) \
    CALL(modes_entries, 1, (P(0, w->modes))) CALL(modes_name, 1, (P(0, w->modes), w->at)) \
    CALL(modes_shape, 1, (P(0, w->modes), 0, w->at)) \
    CALL(derive, 5, (P(0, w->ctx), P(1, w->model), P(2, "gauss"), P(3, "text"), P(4, w->f))) \
    CALL(derivation_free, 1, (P(0, w->derivation))) CALL(derivation_text, 1, (P(0, w->derivation))) \
    CALL(derivation_sections, 1, (P(0, w->derivation))) \
    CALL(derivation_section, 1, (P(0, w->derivation), w->at)) \
    CALL(derivation_write, 4, (P(0, w->ctx), P(1, w->derivation), P(2, "/dev/null"), P(3, w->f))) \
    CALL(table_free, 1, (P(0, w->table))) CALL(table_rows, 1, (P(0, w->table))) \
    CALL(table_columns, 1, (P(0, w->table))) CALL(table_name, 1, (P(0, w->table), w->at)) \
    CALL(table_unit, 1, (P(0, w->table), w->at)) CALL(table_role, 1, (P(0, w->table), w->at)) \
    CALL(table_data, 1, (P(0, w->table), w->at)) CALL(table_nodes, 1, (P(0, w->table), w->at)) \
    CALL(table_axis, 1, (P(0, w->table), w->at)) CALL(table_places, 1, (P(0, w->table), w->at)) \
    CALL(table_cell, 4, (P(0, w->table), P(1, "x"), P(2, &w->n), P(3, &w->m))) \
    CALL(table_events, 1, (P(0, w->table))) CALL(table_event, 1, (P(0, w->table), w->at)) \
    CALL(table_error, 1, (P(0, w->table), w->at)) CALL(table_slopes, 1, (P(0, w->table))) \
    CALL(table_slope, 1, (P(0, w->table), w->at)) CALL(table_proof, 2, (P(0, w->table), P(1, &w->proof))) \
    CALL(table_dual, 2, (P(0, w->table), P(1, &w->reported))) CALL(table_info, 1, (P(0, w->table))) \
    CALL(table_write, 4, (P(0, w->ctx), P(1, w->table), P(2, "/dev/null"), P(3, w->f))) \
    CALL(table_write_events, 4, (P(0, w->ctx), P(1, w->table), P(2, "/dev/null"), P(3, w->f))) \
    CALL(table_plot, 5, (P(0, w->ctx), P(1, w->table), P(2, "x"), P(3, "/dev/null"), P(4, w->f))) \
    CALL(table_animate, 5, (P(0, w->ctx), P(1, w->table), P(2, "x"), P(3, "/dev/null"), P(4, w->f))) \
    CALL(model_drawable, 4, (P(0, w->ctx), P(1, w->model), P(2, "x"), w->at != 0, P(3, w->f))) \
    CALL(can_write, 1, (P(0, "a.csv"), w->at != 0)) CALL(table_json, 1, (P(0, w->table)))
/* clang-format on */

#define DEFINE(name, pointers, arguments)                                                                              \
    static void call_##name(struct world *w, unsigned mask) { (void)w, (void)mask, (void)actio_##name arguments; }
LIST(DEFINE)

struct call {
    const char *name;
    unsigned pointers;
    void (*make)(struct world *w, unsigned mask);
};
#define ROW(name, pointers, arguments) { "actio_" #name, pointers, call_##name },
static const struct call calls[] = { LIST(ROW) };
enum { CALLS = sizeof calls / sizeof *calls };

/* ---- */

static bool crashes(const struct call *c, struct world *w, unsigned mask)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        c->make(w, mask);
        _exit(0);
    }
    return waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

TEST(no_function_crashes_for_want_of_an_argument)
{
    struct world w = open_world();
    const size_t index[] = { 0, SIZE_MAX };
    for (size_t i = 0; i < CALLS; i++)
        for (unsigned mask = 0; mask < 1u << calls[i].pointers; mask++)
            for (size_t k = 0; k < 2; k++) {
                w.at = index[k];
                if (!crashes(&calls[i], &w, mask)) continue;
                check_bad = 1;
                printf("%s crashes: NULL pointers %#x, index %zu\n", calls[i].name, mask, w.at);
            }
    close_world(&w);
}

static bool is_listed(const char *name, size_t length)
{
    for (size_t i = 0; i < CALLS; i++)
        if (strncmp(calls[i].name, name, length) == 0 && !calls[i].name[length]) return true;
    return false;
}

TEST(the_list_has_every_function_of_the_header)
{
    static char header[1 << 18];
    FILE *f = fopen("include/actio/actio.h", "r");
    CHECK(f != NULL);
    if (!f) return;
    header[fread(header, 1, sizeof header - 1, f)] = 0;
    fclose(f);
    size_t found = 0;
    for (char *p = header; (p = strstr(p, "\nACTIO_API ")); p++) {
        char *open = strchr(p, '('), *name = open;
        while (isalnum((unsigned char)name[-1]) || name[-1] == '_') name--;
        found++;
        if (!is_listed(name, (size_t)(open - name))) {
            check_bad = 1;
            printf("%.*s is not in the list\n", (int)(open - name), name);
        }
    }
    CHECK(found == CALLS);
}
#endif

int main(void)
{
#ifdef ACTIO_NATIVE
    RUN(the_list_has_every_function_of_the_header);
    RUN(no_function_crashes_for_want_of_an_argument);
#endif
    return DONE();
}
