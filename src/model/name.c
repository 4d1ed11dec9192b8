/* SPDX-License-Identifier: Apache-2.0 */
#include <actio/actio.h>

#include "model/model.h"

const char *actio_model_name(const struct actio_model *model) { return model && model->name ? model->name : ""; }
