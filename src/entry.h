/* SPDX-License-Identifier: Apache-2.0
 * The work behind the doors of entry.c: what is handed to these functions has been checked. */
#ifndef ACTIO_ENTRY_H
#define ACTIO_ENTRY_H

#include <actio/actio.h>

#include "base/findings.h"

#define ACTIO_CHANGE_KINDS "pstwhbfTAW"                    /* in the order of the override kinds */

struct actio_model *actio_model_read_inside(struct actio_context *ctx, const char *name, const struct actio_change *change, size_t changes, struct actio_findings *f);
struct actio_model *actio_model_read_string_inside(struct actio_context *ctx, const char *file, const char *text, size_t length,
                                                   const struct actio_change *change, size_t changes, struct actio_findings *f);
struct actio_table *actio_run_inside(struct actio_context *ctx, struct actio_model *model, const struct actio_run_options *options, struct actio_findings *f);
struct actio_comparison *actio_compare_inside(struct actio_context *ctx, struct actio_model *model, const struct actio_run_options *options,
                                              const char *const *by, size_t count, struct actio_findings *f);
struct actio_action *actio_action_inside(struct actio_context *ctx, struct actio_model *model, const struct actio_action_options *options, struct actio_findings *f);
struct actio_dual_action *actio_dual_action_inside(struct actio_context *ctx, struct actio_model *model, const struct actio_dual_action_options *options,
                                                   struct actio_findings *f);
struct actio_orbits *actio_orbit_inside(struct actio_context *ctx, struct actio_model *model, const struct actio_orbit_options *options, struct actio_findings *f);
struct actio_check *actio_test_inside(struct actio_context *ctx, struct actio_model *model, const struct actio_run_options *options, struct actio_findings *f, size_t *count);
int actio_check_inside(struct actio_context *ctx, struct actio_model *model, const struct actio_box_row *box, size_t boxes, struct actio_findings *f,
                       struct actio_verdict_report *out);
struct actio_modes *actio_modes_inside(struct actio_context *ctx, struct actio_model *model, size_t most, struct actio_findings *f);
struct actio_derivation *actio_derive_inside(struct actio_context *ctx, struct actio_model *model, const char *by, const char *format, struct actio_findings *f);

/* entry_options.c: options with defaults where they are 0 or NULL. `fit`: is each of them one that there is? Else a finding. */
struct actio_run_options actio_options_whole(const struct actio_run_options *options);
bool actio_options_fit(const struct actio_run_options *options, struct actio_findings *f);
struct actio_orbit_options actio_orbit_options_whole(const struct actio_orbit_options *options);
bool actio_orbit_options_fit(const struct actio_orbit_options *options, struct actio_findings *f);
bool actio_action_options_fit(const struct actio_action_options *options, struct actio_findings *f);
bool actio_dual_action_options_fit(const struct actio_dual_action_options *options, struct actio_findings *f);
bool actio_changes_fit(const struct actio_change *change, size_t changes, struct actio_findings *f);
bool actio_names_fit(const char *what, const char *const *name, size_t count, struct actio_findings *f);   /* an array without NULL in it */
bool actio_principle_fits(const char *by, struct actio_findings *f);

#endif
