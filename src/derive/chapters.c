/* SPDX-License-Identifier: Apache-2.0
 * The chapters that there are: one line each in chapters.def. */
#include "derive/derive.h"

#include <string.h>

#define CHAPTER(name) extern const struct actio_chapter actio_chapter_##name;
#include "derive/chapters.def"
#undef CHAPTER

static const struct actio_chapter *const chapters[] = {
#define CHAPTER(name) &actio_chapter_##name,
#include "derive/chapters.def"
#undef CHAPTER
};

const struct actio_chapter *actio_chapter_of(const char *by)
{
    for (size_t i = 0; i < sizeof chapters / sizeof *chapters; i++)
        if (strcmp(chapters[i]->by, by) == 0) return chapters[i];
    return NULL;
}
