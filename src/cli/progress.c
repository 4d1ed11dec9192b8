/* SPDX-License-Identifier: Apache-2.0
 * A progress bar on standard error: only on a terminal, at most ten times a second, gone when the work is done. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 30, LINE = 78 };

static struct {
    double began, drawn;
    bool shown;
} bar;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void progress_draw(void *user, const char *what, double done, double of)
{
    (void)user;
    double t = now();
    if (!(of > 0) || t - bar.drawn < 0.1 || t - bar.began < 0.4) return; /* what is done at once needs no bar */
    bar.drawn = t;
    bar.shown = true;
    double part = done < 0 ? 0 : done > of ? 1 : done / of;
    char filled[BAR + 1], left[32] = "";
    memset(filled, ' ', BAR);
    memset(filled, '#', (size_t)(part * BAR));
    filled[BAR] = 0;
    double seconds = part > 0 ? (t - bar.began) * (1 - part) / part : 0;
    if (part > 0.01)
        snprintf(left, sizeof left, seconds < 90 ? "%.0f s left" : "%.0f min left",
                 seconds < 90 ? seconds : seconds / 60);
    char line[512];
    snprintf(line, sizeof line, "%.24s [%s] %3.0f %%  %s", what ? what : "", filled, 100 * part, left);
    fprintf(stderr, "\r%-*.*s", LINE, LINE, line);
    fflush(stderr);
}

void actio_cli_progress_setup(const struct actio_cli_arguments *a, struct actio_limits *limits)
{
    bar.began = now();
    bar.shown = false;
    if (!a->quiet && isatty(STDERR_FILENO)) limits->progress = progress_draw;
}

void actio_cli_progress_end(void)
{
    if (bar.shown) fprintf(stderr, "\r%*s\r", LINE, "");
    bar.shown = false;
}
