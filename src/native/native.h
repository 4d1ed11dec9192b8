/* SPDX-License-Identifier: Apache-2.0
 * What needs an operating system: writers, compilers and libraries that register themselves in tables of the core.
 * In: nothing. Out: entries in those tables. Callers: api, before the first context. */
#ifndef ACTIO_NATIVE_NATIVE_H
#define ACTIO_NATIVE_NATIVE_H

#include <stddef.h>

void actio_native_register(void); /* called once, before the first context */
double actio_native_clock(void);  /* monotonic seconds */
struct actio_context;
/* into a pipe or device; 0 or an error */
int actio_native_put(struct actio_context *ctx, int fd, const char *bytes, size_t length);
void *actio_native_plain_numbers(void); /* the C locale for this thread; returns the one before, for: */
void actio_native_own_numbers(void *before);

extern const struct actio_file_system actio_native_files, actio_native_standard; /* result/output.h */
extern const struct actio_exec actio_exec_cc;                                    /* kernel/compile.h */
extern const struct actio_writer actio_write_hdf5; /* result/table.h; only with ACTIO_WITH_HDF5 */
/* result/canvas.h; only with ACTIO_WITH_CAIRO */
extern const struct actio_canvas_type actio_canvas_png, actio_canvas_pdf;
extern const struct actio_linear_type actio_linear_klu; /* algebra/linear.h; only with ACTIO_WITH_KLU */
extern const struct actio_stepper actio_cvode;          /* solve/march.h; only with ACTIO_WITH_SUNDIALS */

#endif
