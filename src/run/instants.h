/* SPDX-License-Identifier: Apache-2.0
 * Instants in words: what they are called in the list of events, and why one ended the motion.
 * In: a run. Out: names, findings. Callers: run. */
#ifndef ACTIO_RUN_INSTANTS_H
#define ACTIO_RUN_INSTANTS_H

#include "run/run.h"

/* "when" or "every"; what follows that word, by statement, in the table's memory */
const char *actio_run_statement_kind(const struct actio_run *run, size_t statement);
const char **actio_run_statement_names(const struct actio_run *run, struct actio_table *t);
void actio_run_explain_instant(struct actio_run *run);

#endif
