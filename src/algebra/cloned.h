/* SPDX-License-Identifier: Apache-2.0
 * Functions with and without AVX encodings, chosen when the program starts; no contraction, so the bits are the same.
 * In: nothing. Out: a macro, and vectors of four. Callers: algebra, solve. */
#ifndef ACTIO_ALGEBRA_CLONED_H
#define ACTIO_ALGEBRA_CLONED_H

#if defined __x86_64__ && defined __linux__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__                     \
    && !defined __SANITIZE_THREAD__
#define CLONED __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define CLONED
#endif

/* Four numbers side by side, anywhere. */
typedef double actio_four __attribute__((vector_size(32), aligned(8), may_alias));

#endif
