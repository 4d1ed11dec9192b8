/* SPDX-License-Identifier: Apache-2.0
 * The models built in: tools/embed_gallery.cmake writes their texts from models/ and templates/. */
#ifndef ACTIO_GALLERY_H
#define ACTIO_GALLERY_H

#include <actio/actio.h>

extern const struct actio_example actio_gallery_examples[];
extern const size_t actio_gallery_count;
extern const struct actio_example actio_templates_examples[];
extern const size_t actio_templates_count;

#endif
