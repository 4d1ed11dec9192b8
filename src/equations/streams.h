/* SPDX-License-Identifier: Apache-2.0
 * A quantity of a system with fields: programs over the nodes or cells of its axes, whose outputs are added into one
 * flat list of values. */
#ifndef ACTIO_EQUATIONS_STREAMS_H
#define ACTIO_EQUATIONS_STREAMS_H

#include "kernel/kernel.h"

enum actio_stream_how {
    ACTIO_STREAM_PUT,   /* lane l to value[at + l] */
    ACTIO_STREAM_ADD,   /* the same, added to what is there */
    ACTIO_STREAM_TOTAL, /* all lanes added to value[at] */
    ACTIO_STREAM_SUM,   /* their sum is number `at` behind SUM */
    ACTIO_STREAM_RUN    /* times `step`, summed up from the left: node l of stream `at` behind RUNNING */
};
/* fill: lanes before `first` and behind the last that are extrapolated, of PUT */
struct actio_stream {
    enum actio_stream_how how;
    size_t at;
    double step;
    size_t fill;
};

/* One program: lanes first .. first + lanes - 1 of the axis' nodes (half 0) or cells (half 1). */
struct actio_stage {
    struct actio_kernel *kernel;
    uint16_t axis;
    uint8_t half;
    size_t first, lanes;
    const struct actio_stream *out;
};

/* in this order; values: of the flat list, 0 before the first stage */
struct actio_streams {
    struct actio_stage *stage;
    size_t stages, values, sums, runs;
};

/* Where the numbers of a stage's inputs lie. */
struct actio_axis_numbers {
    size_t nodes;
    double a, b;
};

#endif
