/* SPDX-License-Identifier: Apache-2.0
 * The principles by name.
 * In: a name. Out: a descriptor (problem/principle.h). Callers: the rooms after problem. */
#ifndef ACTIO_PRINCIPLES_H
#define ACTIO_PRINCIPLES_H

#include "problem/principle.h"

#define PRINCIPLE(name) extern const struct actio_principle actio_principle_##name;
#include "principle/principles.def"
#undef PRINCIPLE

const struct actio_principle *const *actio_principles(size_t *count);
const struct actio_principle *actio_principle_named(const char *name); /* NULL: there is none */
/* Are the principles that a model's claims name (`expect ... by P`) among them? The reader does not know the table. */
bool actio_principles_claimed(const struct actio_model *model, struct actio_findings *f);
/* The principle of --by takes force: 0, or 1 and findings. */
int actio_principle_ready(struct actio_problem *problem);
/* Do the options of this run belong to its principle, and fit each other? 0, or 1 and a finding. */
int actio_principle_check(struct actio_problem *problem);
/* The same options by another principle, without those that it has no use for. */
struct actio_run_options actio_principle_options(const struct actio_principle *p,
                                                 const struct actio_run_options *options);
/* Has each option that is given an owner among these principles? False after a finding. */
bool actio_principles_own(const char *const *by, size_t count, const struct actio_run_options *options,
                          struct actio_findings *f);
/* As actio_report, with "--option belongs to: whose": 1. */
int actio_principle_refuse(struct actio_problem *problem, const char *option, const char *whose);

#endif
