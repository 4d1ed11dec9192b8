/* SPDX-License-Identifier: Apache-2.0
 * Where bytes go: a file that is whole or absent. Writers fill an output piece by piece; nothing is held in full. */
#ifndef ACTIO_RESULT_OUTPUT_H
#define ACTIO_RESULT_OUTPUT_H

#include "base/findings.h"

/* How files are made: plain C here, native/whole_file.c registers the system's own way. Errors are errno values. */
struct actio_file_system {
    /* a temporary beside the target; NULL on failure */
    void *(*open)(struct actio_context *ctx, const char *path, int *error);
    int (*write)(void *file, const char *bytes, size_t length); /* 0 or the error */
    int (*close)(void *file, bool keep);      /* keep: flush and rename over the target; else remove */
    const struct actio_file_system *standard; /* for standard output; NULL: plain C's */
};
void actio_file_system_register(const struct actio_file_system *system);

struct actio_output {
    struct actio_text text;                 /* what is not yet passed on */
    const struct actio_file_system *system; /* NULL: everything stays in `text` */
    void *file;
    bool whole_lines; /* standard output, which may be cut short: only between lines */
    uint64_t passed;  /* bytes before `text` */
    int error;        /* the first one; later bytes are dropped */
    const char *why;  /* in place of the error's text, or NULL */
};
typedef void (*actio_fill_fn)(struct actio_output *out, const void *user);

/* Opens `path`, lets `fill` write, and puts the file in place; 0, or 1 with a finding and nothing changed. "-" is
 * standard output. */
int actio_output_write(struct actio_context *ctx, const char *path, actio_fill_fn fill, const void *user,
                       struct actio_findings *f);
/* passes the text on when there is enough of it; call after each piece */
void actio_output_drain(struct actio_output *out);
/* passed on at once, after the text */
void actio_output_bytes(struct actio_output *out, const char *bytes, size_t length);
int actio_cannot_write(struct actio_findings *f, const char *path, const char *why); /* 1 and the finding */

/* Escapes. Texts need not be valid UTF-8: what is not is replaced by U+FFFD. */
/* bytes used (s < end); code is U+FFFD where invalid */
size_t actio_utf8_next(const char *s, const char *end, uint32_t *code);
void actio_json_string(struct actio_text *out, const char *s); /* with quotes; NULL is "" */
void actio_json_number(struct actio_text *out, double x);      /* null when not finite */
void actio_xml_string(struct actio_text *out, const char *s);  /* safe in content and attributes */
/* no locale, no exponent, no -0; trim: no trailing zeros */
void actio_fixed(struct actio_text *out, double x, int decimals, bool trim);

#endif
