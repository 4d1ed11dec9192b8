/* SPDX-License-Identifier: Apache-2.0
 * Colours by formula, even to the eye: straight or turning lines in Ottosson's Oklab, lightness in equal steps. */
#include "result/plot.h"

#include <math.h>

static double encoded(double x)
{
    x = fmin(fmax(x, 0), 1);
    return x <= .0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - .055;
}

/* Lightness, chroma, hue in degrees, to sRGB. The numbers are those of Oklab's definition. */
static uint32_t colour(double lightness, double chroma, double hue)
{
    double a = chroma * cos(hue * acos(-1) / 180), b = chroma * sin(hue * acos(-1) / 180);
    double l = pow(lightness + .3963377774 * a + .2158037573 * b, 3);
    double m = pow(lightness - .1055613458 * a - .0638541728 * b, 3);
    double s = pow(lightness - .0894841775 * a - 1.2914855480 * b, 3);
    const double rgb[] = { 4.0767416621 * l - 3.3077115913 * m + .2309699292 * s,
                           -1.2684380046 * l + 2.6097574011 * m - .3413193965 * s,
                           -.0041960863 * l - .7034186147 * m + 1.7076147010 * s };
    uint32_t c = 0;
    for (int i = 0; i < 3; i++) c = c << 8 | (uint32_t)lround(255 * encoded(rgb[i]));
    return c;
}

/* Dark violet over blue and green to light yellow. */
uint32_t actio_colour_even(double at) { return colour(.28 + .64 * at, .105 + .03 * fabs(2 * at - 1), 295 - 190 * at); }

/* Blue below, red above. */
uint32_t actio_colour_centred(double at) { return colour(.97 - .52 * fabs(at), .17 * fabs(at), at < 0 ? 255 : 32); }

uint32_t actio_colour_shade(double at) { return colour(.85 - .53 * at, .07 + .06 * at, 245 + 25 * at); }
