// SPDX-License-Identifier: Apache-2.0
// The same in C++: the header is C++17 as well.
#include <actio/actio.h>
#include <cstdio>
#include <memory>

int main()
{
    std::unique_ptr<actio_context, void (*)(actio_context *)> ctx(actio_context_create(nullptr), actio_context_free);
    std::unique_ptr<actio_findings, void (*)(actio_findings *)> f(actio_findings_create(ctx.get()), actio_findings_free);
    std::unique_ptr<actio_model, void (*)(actio_model *)> model(actio_model_read(ctx.get(), "disk", nullptr, 0, f.get()),
                                                                actio_model_free);
    std::unique_ptr<actio_table, void (*)(actio_table *)> table(actio_run(ctx.get(), model.get(), nullptr, f.get()),
                                                                actio_table_free);
    std::size_t y, rows = actio_table_rows(table.get());
    if (!rows || !actio_table_cell(table.get(), "y", &y, nullptr)) return ACTIO_NUMERICS_FAILED;
    std::printf("actio %s: y = %.10f\n", actio_version(), actio_table_data(table.get(), y)[rows - 1]);
    return actio_findings_status(f.get());
}
