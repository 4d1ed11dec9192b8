/* SPDX-License-Identifier: Apache-2.0
 * What this build adds to the core's tables, one line each. */
#include "algebra/linear.h"
#include "kernel/compile.h"
#include "native/native.h"
#include "result/canvas.h"
#include "result/output.h"
#include "result/table.h"
#include "solve/march.h"

void actio_native_register(void)
{
    actio_native_own_numbers(actio_native_plain_numbers());
    actio_file_system_register(&actio_native_files);
    actio_exec_register(&actio_exec_cc);
#ifdef ACTIO_WITH_HDF5
    actio_writer_register(&actio_write_hdf5);
#endif
#ifdef ACTIO_WITH_CAIRO
    actio_canvas_register(&actio_canvas_png);
    actio_canvas_register(&actio_canvas_pdf);
#endif
#ifdef ACTIO_WITH_SUNDIALS
    actio_stepper_register(&actio_cvode);
#endif
#ifdef ACTIO_WITH_KLU
    actio_linear_register(&actio_linear_klu);
#endif
}
