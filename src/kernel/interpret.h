/* SPDX-License-Identifier: Apache-2.0
 * Inside of kernel/: making a program, and running a section of one. */
#ifndef ACTIO_KERNEL_INTERPRET_H
#define ACTIO_KERNEL_INTERPRET_H

#include "kernel/compile.h"

/* Memory of the program comes from `keep`, everything else from `scratch`. */
void actio_plan(struct actio_arena *keep, struct actio_arena *scratch, struct actio_pool *pool, const actio_expr *out,
                size_t outputs, struct actio_program *program);

/* The same section for one lane: sums and products in any mix are one operation, fma, so that nothing has to be looked
 * up between them; `stop` says how many come before each other instruction. Register r is at r + ACTIO_TAPE_CONSTANTS.
 * */
struct actio_tape {
    struct actio_tape_fma {
        uint32_t dst, a, b, c;
    } * fma;
    struct actio_tape_stop {
        uint32_t fmas;
        struct actio_instr instr;
    } * stop; /* the last has no instruction */
    size_t stops;
};
enum { ACTIO_TAPE_CONSTANTS = 3 };
void actio_tape_make(struct actio_arena *keep, const struct actio_section *s, struct actio_tape *tape);

/* How much scratch (doubles) running a section takes, whatever the number of lanes; 16-byte alignment is enough. */
size_t actio_section_work(const struct actio_section *s);

/* `fixed` holds fixed_lanes (1 or lanes) values of each fixed register. Result j goes to out[j]. */
struct actio_feed {
    const double *fixed;
    size_t fixed_lanes;
    const struct actio_arg *arg;
};
void actio_section_run(const struct actio_section *s, const struct actio_tape *tape, size_t lanes,
                       struct actio_feed feed, double *const *out, double *work);
uint32_t actio_section_locate(const struct actio_section *s, struct actio_feed feed, size_t lane, double *work);

#endif
