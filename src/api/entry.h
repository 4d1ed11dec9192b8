/* SPDX-License-Identifier: Apache-2.0
 * The doors of the library: models, and options that are checked. The work is in the rooms included here.
 * In: what the caller of the public header hands in. Out: objects, or findings. Callers: the files of api/. */
#ifndef ACTIO_ENTRY_H
#define ACTIO_ENTRY_H

#include <actio/actio.h>

#include "action/action.h"
#include "base/findings.h"
#include "check/check.h"
#include "compare/comparison.h"
#include "derivation/derivation.h"
#include "orbit/orbits.h"
#include "run/flow.h"
#include "run/integrator.h"
#include "run/run.h"

struct actio_model *actio_model_read_inside(struct actio_context *ctx, const char *name,
                                            const struct actio_change *change, size_t changes,
                                            struct actio_findings *f);
struct actio_model *actio_model_read_string_inside(struct actio_context *ctx, const char *file, const char *text,
                                                   size_t length, const struct actio_change *change, size_t changes,
                                                   struct actio_findings *f);

/* entry.c: a call begins where there is a context and findings; `object`, called `name`, must be there. It ends with
 * the object that it made, with NULL where arguments forbid it (they have been named), or with an exit status. */
bool actio_entry_open(struct actio_call *call, struct actio_context *ctx, struct actio_findings *f, const char *name,
                      const void *object);
void *actio_entry_made(struct actio_call *call, void *object, const char *what);
void *actio_entry_refused(struct actio_call *call);
int actio_entry_status(struct actio_call *call, bool done, const char *what);

/* options.c: options with defaults where they are 0 or NULL. `fit`: is each of them one that there is? Else a finding.
 * */
struct actio_run_options actio_options_whole(const struct actio_run_options *options);
bool actio_options_fit(const struct actio_run_options *options, struct actio_findings *f);
struct actio_orbit_options actio_orbit_options_whole(const struct actio_orbit_options *options);
bool actio_orbit_options_fit(const struct actio_orbit_options *options, struct actio_findings *f);
bool actio_action_options_fit(const struct actio_action_options *options, struct actio_findings *f);
bool actio_dual_action_options_fit(const struct actio_dual_action_options *options, struct actio_findings *f);
bool actio_changes_fit(const struct actio_change *change, size_t changes, struct actio_findings *f);
/* an array without NULL in it */
bool actio_names_fit(const char *what, const char *const *name, size_t count, struct actio_findings *f);
bool actio_principle_fits(const char *by, struct actio_findings *f);

#endif
