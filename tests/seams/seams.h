/* SPDX-License-Identifier: Apache-2.0
 * Toys, one file each, that enter the library through its tables only. One line each, as a table would have. */
#ifndef ACTIO_TESTS_SEAMS_H
#define ACTIO_TESTS_SEAMS_H

#include "algebra/linear.h"
#include "kernel/compile.h"
#include "result/canvas.h"
#include "result/table.h"
#include "solve/march.h"

extern const struct actio_exec toy_exec;          /* a plain loop over the instructions, one lane at a time */
extern const struct actio_linear_type toy_linear; /* Gauss-Jordan with complete pivoting */
extern const struct actio_stepper toy_stepper;    /* Runge-Kutta of order 4, equal steps */
extern const struct actio_writer toy_writer;      /* .md: a table in Markdown */
extern const struct actio_canvas_type toy_canvas; /* .txt: the words of a picture */

/* How often each was asked, so that a test knows that it was. */
extern size_t toy_exec_loads, toy_linear_factors, toy_stepper_steps;

#endif
