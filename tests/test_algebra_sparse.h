/* SPDX-License-Identifier: Apache-2.0
 * Part of test_algebra.c: the built-in sparse and band solvers, KLU and the dense one on the same matrices. */

#ifdef ACTIO_WITH_KLU
extern const struct actio_linear_type actio_linear_klu;
#endif

static const struct actio_linear_type *const solver[] = {
    &actio_linear_sparse,
    &actio_linear_band,
    &actio_linear_dense,
#ifdef ACTIO_WITH_KLU
    &actio_linear_klu,
#endif
};
enum { SOLVERS = sizeof solver / sizeof *solver };

/* A matrix by entries; at(...) adds one unless it is there already. */
struct matrix {
    size_t n, count, room;
    uint32_t *i, *j;
    double *v;
};

static void matrix_open(struct matrix *a, size_t n, size_t room)
{
    *a = (struct matrix){
        n, 0, room, malloc(room * sizeof *a->i), malloc(room * sizeof *a->j), malloc(room * sizeof *a->v)
    };
}

static void matrix_close(struct matrix *a)
{
    free(a->i);
    free(a->j);
    free(a->v);
}

static void at(struct matrix *a, size_t i, size_t j, double v)
{
    if (a->count == a->room) abort();
    a->i[a->count] = (uint32_t)i;
    a->j[a->count] = (uint32_t)j;
    a->v[a->count++] = v;
}

static struct actio_pattern pattern(const struct matrix *a)
{
    return (struct actio_pattern){ .rows = a->n, .count = a->count, .i = a->i, .j = a->j };
}

/* `per` entries a row at random places, a diagonal of the given weight */
static void make_random(struct matrix *a, size_t n, size_t per, double diagonal)
{
    matrix_open(a, n, n * (per + 1));
    size_t *seen = calloc(n, sizeof *seen);
    for (size_t i = 0; i < n; i++) {
        if (diagonal != 0) {
            at(a, i, i, diagonal * draw());
            seen[i] = i + 1;
        }
        for (size_t e = 0; e < per; e++) {
            size_t j = (size_t)((draw() + 1) / 2 * (double)n) % n;
            if (seen[j] != i + 1) {
                at(a, i, j, draw());
                seen[j] = i + 1;
            }
        }
    }
    free(seen);
}

static void make_band(struct matrix *a, size_t n, size_t below, size_t above)
{
    matrix_open(a, n, n * (below + above + 1));
    for (size_t i = 0; i < n; i++)
        for (size_t j = i > below ? i - below : 0; j <= i + above && j < n; j++)
            at(a, i, j, i == j ? 2 + draw() : draw());
}

/* diagonal, first row and first column: eliminated from the wrong end it fills up */
static void make_arrow(struct matrix *a, size_t n)
{
    matrix_open(a, n, 3 * n);
    for (size_t i = 0; i < n; i++) {
        at(a, i, i, i ? 2 + draw() : 10);
        if (i) {
            at(a, 0, i, draw());
            at(a, i, 0, draw());
        }
    }
}

/* (W A'; A 0) of a chain: masses, and constraints between neighbours */
static void make_saddle(struct matrix *a, size_t masses, size_t rods)
{
    matrix_open(a, masses + rods, masses + 4 * rods);
    for (size_t i = 0; i < masses; i++) at(a, i, i, 1.5 + draw());
    for (size_t c = 0; c < rods; c++)
        for (size_t e = 0; e < 2; e++) {
            double v = draw();
            at(a, masses + c, c + e, v);
            at(a, c + e, masses + c, v);
        }
}

/* A band with its rows turned by a third: nothing is on the diagonal */
static void make_turned(struct matrix *a, size_t n)
{
    make_band(a, n, 1, 2);
    for (size_t e = 0; e < a->count; e++) a->i[e] = (uint32_t)((a->i[e] + n / 3) % n);
}

/* The worst of |A x - b| / (eps |A| |x|) over plain and transposed solves with two right-hand sides; 1e300 when factor
 * fails */
static double solve_quality(const struct actio_linear_type *type, const struct matrix *a)
{
    struct actio_context ctx;
    actio_context_init(&ctx);
    struct actio_pattern p = pattern(a);
    double *b = malloc(4 * a->n * sizeof *b), *x = b + 2 * a->n, worst = 0;
    void *h = type->open(&ctx, &p);
    if (!h || type->factor(h, a->v) != 0) worst = 1e300;
    for (int t = 0; t < 2 && worst < 1e300; t++) {
        draw_all(2 * a->n, b);
        memcpy(x, b, 2 * a->n * sizeof *b);
        type->solve(h, x, 2, t);
        for (size_t r = 0; r < 2; r++)
            for (size_t e = 0; e < a->count; e++)
                b[r * a->n + (t ? a->j : a->i)[e]] -= a->v[e] * x[r * a->n + (t ? a->i : a->j)[e]];
        double norm = largest(a->count, a->v) * (double)a->count / (double)a->n;
        worst = fmax(worst, largest(2 * a->n, b) / (DBL_EPSILON * norm * largest(2 * a->n, x)));
    }
    type->close(h);
    free(b);
    CHECK(ctx.bytes == 0);
    return worst;
}

TEST(all_solvers_solve_random_sparse_matrices)
{
    struct matrix a;
    for (size_t n = 1; n < 400; n = n * 2 + 1)
        for (int k = 0; k < 3; k++) {
            make_random(&a, n, (size_t)k + 2, k == 2 && n > 3 ? 0.01 : 4); /* small diagonals make rows move */
            for (size_t s = 0; s < SOLVERS; s++) CHECK(solve_quality(solver[s], &a) < 300);
            matrix_close(&a);
        }
}

TEST(all_solvers_solve_bands_arrows_and_saddle_points)
{
    struct matrix a[5];
    make_turned(&a[4], 300);
    make_band(&a[0], 300, 2, 3);
    make_arrow(&a[1], 300);
    make_saddle(&a[2], 200, 150);
    make_band(&a[3], 5, 1, 1);
    for (size_t k = 0; k < 5; k++) {
        for (size_t s = 0; s < SOLVERS; s++) CHECK(solve_quality(solver[s], &a[k]) < 300);
        matrix_close(&a[k]);
    }
}

TEST(sparse_solvers_solve_five_thousand_unknowns)
{
    struct matrix a[3];
    make_band(&a[0], 5000, 3, 3);
    make_arrow(&a[1], 5000);
    make_saddle(&a[2], 3000, 2000);
    for (size_t k = 0; k < 3; k++) {
        for (size_t s = 0; s < SOLVERS; s++)
            if (solver[s] != &actio_linear_dense) CHECK(solve_quality(solver[s], &a[k]) < 300);
        matrix_close(&a[k]);
    }
}

/* A promise about the values may choose another way of elimination: the solution is the same. */
TEST(definite_matrices_are_solved_by_all_that_make_use_of_it)
{
    enum { N = 12 };
    struct actio_context ctx;
    struct matrix a;
    double b[2 * N], x[2 * N];
    actio_context_init(&ctx);
    matrix_open(&a, N, N * N);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) at(&a, i, j, i == j ? N : 1 / (1 + fabs((double)i - (double)j)));
    struct actio_pattern p = pattern(&a);
    p.symmetric = p.definite = true;
    for (size_t s = 0; s < SOLVERS; s++)
        for (int t = 0; t < 2; t++) {
            void *h = solver[s]->open(&ctx, &p);
            CHECK(h && solver[s]->factor(h, a.v) == 0);
            draw_all(2 * N, b);
            memcpy(x, b, sizeof b);
            solver[s]->solve(h, x, 2, t);
            for (size_t r = 0; r < 2; r++)
                for (size_t e = 0; e < a.count; e++) b[r * N + a.i[e]] -= a.v[e] * x[r * N + a.j[e]];
            CHECK(largest(2 * N, b) < 100 * DBL_EPSILON * N);
            solver[s]->close(h);
        }
    matrix_close(&a);
}

/* bytes held after opening and factoring */
static double memory(void (*build)(struct matrix *, size_t), size_t n)
{
    struct actio_context ctx;
    struct matrix a;
    actio_context_init(&ctx);
    build(&a, n);
    struct actio_pattern p = pattern(&a);
    void *h = actio_linear_sparse.open(&ctx, &p);
    size_t opened = ctx.bytes;
    CHECK(actio_linear_sparse.factor(h, a.v) == 0);
    CHECK(ctx.bytes == opened); /* all of it was foreseen */
    actio_linear_sparse.close(h);
    matrix_close(&a);
    return (double)opened;
}

static void five_band(struct matrix *a, size_t n) { make_band(a, n, 2, 2); }

static void mass_chain(struct matrix *a, size_t n) { make_saddle(a, n / 2 + 1, n / 2); }

TEST(memory_of_bands_and_arrows_grows_like_their_entries)
{
    CHECK(memory(five_band, 20000) < 11 * memory(five_band, 2000));
    CHECK(memory(make_arrow, 20000) < 11 * memory(make_arrow, 2000));
    CHECK(memory(make_turned, 20000) < 11 * memory(make_turned, 2000));
    CHECK(memory(mass_chain, 20000) < 11 * memory(mass_chain, 2000));
}

/* Far away, near by, failed, and back: bits of the last factorisation are those of a first one. */
static void check_same_bits(const struct actio_linear_type *type, struct actio_context *ctx, const struct matrix *a)
{
    struct actio_pattern p = pattern(a);
    static double b[300], x[300], y[300], v[5000];
    void *used = type->open(ctx, &p), *new = type->open(ctx, &p);
    CHECK(type->factor(new, a->v) == 0);
    for (int t = 0; t < 6; t++) {
        for (size_t e = 0; e < a->count; e++) v[e] = t == 3 ? 0 : a->v[e] * (1 + (t % 2 ? 1 : 1e-6) * draw());
        CHECK((type->factor(used, v) == 0) == (t != 3));
    }
    CHECK(type->factor(used, a->v) == 0);
    draw_all(300, b);
    memcpy(x, b, sizeof b);
    memcpy(y, b, sizeof b);
    type->solve(used, x, 1, false);
    type->solve(new, y, 1, false);
    CHECK(memcmp(x, y, sizeof x) == 0);
    CHECK(type->rcond(used) == type->rcond(new) && type->rcond(new) > 0);
    type->close(used);
    type->close(new);
}

/* Pivots that move, and pivots that stay on the diagonal. */
TEST(a_second_factorisation_has_the_bits_of_a_first_one)
{
    struct actio_context ctx;
    struct matrix a[2];
    actio_context_init(&ctx);
    make_random(&a[0], 300, 3, 0.5);
    make_arrow(&a[1], 300);
    for (size_t s = 0; s < SOLVERS; s++)
        for (size_t k = 0; k < 2; k++) check_same_bits(solver[s], &ctx, &a[k]);
    CHECK(ctx.bytes == 0);
    for (size_t k = 0; k < 2; k++) matrix_close(&a[k]);
}

/* Two rods joined in the same way: the columns of both multipliers are dependent */
TEST(a_doubled_constraint_is_reported_by_its_column)
{
    struct actio_context ctx;
    struct matrix a;
    actio_context_init(&ctx);
    make_saddle(&a, 80, 60);
    for (size_t e = 0; e < a.count; e++) { /* constraint 31 := 0.3 times constraint 30 */
        if (a.i[e] == 111) {
            a.j[e]--;
            a.v[e] = 0;
        }
        if (a.j[e] == 111) {
            a.i[e]--;
            a.v[e] = 0;
        }
    }
    for (size_t e = 0; e < a.count; e++)
        for (size_t f = 0; f < a.count; f++) {
            if (a.i[e] == 111 && a.i[f] == 110 && a.j[e] == a.j[f]) a.v[e] = 0.3 * a.v[f];
            if (a.j[e] == 111 && a.j[f] == 110 && a.i[e] == a.i[f]) a.v[e] = 0.3 * a.v[f];
        }
    struct actio_pattern p = pattern(&a);
    for (size_t s = 0; s < SOLVERS; s++) {
        void *h = solver[s]->open(&ctx, &p);
        int bad = solver[s]->factor(h, a.v);
        CHECK(bad > 0 && (bad == 111 || bad == 112 || bad <= 80));
        solver[s]->close(h);
    }
    matrix_close(&a);
}

TEST(an_empty_column_and_a_value_that_is_not_finite_are_reported)
{
    struct actio_context ctx;
    struct matrix a;
    actio_context_init(&ctx);
    make_band(&a, 90, 1, 1);
    for (size_t e = 0; e < a.count; e++)
        if (a.j[e] == 41) a.v[e] = 0;
    struct actio_pattern p = pattern(&a);
    for (size_t s = 0; s < SOLVERS; s++) {
        void *h = solver[s]->open(&ctx, &p);
        CHECK(solver[s]->factor(h, a.v) == 42);
        double keep = a.v[5];
        a.v[5] = INFINITY;
        CHECK(solver[s]->factor(h, a.v) > 0);
        a.v[5] = keep;
        solver[s]->close(h);
    }
    matrix_close(&a);
}

TEST(columns_in_any_unit_are_no_reason_to_call_a_matrix_singular)
{
    struct matrix a;
    make_band(&a, 100, 1, 2);
    for (size_t e = 0; e < a.count; e++)
        a.v[e] *= pow(10, (double)(a.j[e] % 40) - 20) * pow(10, 10 - (double)(a.i[e] % 20));
    struct actio_context ctx;
    actio_context_init(&ctx);
    struct actio_pattern p = pattern(&a);
    for (size_t s = 0; s < SOLVERS; s++) {
        void *h = solver[s]->open(&ctx, &p);
        CHECK(solver[s]->factor(h, a.v) == 0);
        solver[s]->close(h);
    }
    matrix_close(&a);
}

/* Rods and masses with a weak diagonal: pivots leave it, and what they need was taken when it was opened. */
TEST(pivots_that_leave_the_diagonal_take_no_memory)
{
    struct matrix a;
    struct actio_context ctx;
    actio_context_init(&ctx);
    make_band(&a, 400, 12, 12);
    for (size_t e = 0; e < a.count; e++)
        if (a.i[e] == a.j[e] && a.i[e] % 3 == 0) a.v[e] *= 1e-3;
    struct actio_pattern p = pattern(&a);
    void *h = actio_linear_sparse.open(&ctx, &p);
    size_t opened = ctx.bytes;
    CHECK(actio_linear_sparse.factor(h, a.v) == 0 && ctx.bytes == opened);
    actio_linear_sparse.close(h);
    matrix_close(&a);
}

TEST(the_type_is_chosen_by_size_and_density)
{
    struct actio_context ctx;
    struct actio_linear l;
    struct actio_pattern empty = { .rows = 0 };
    struct matrix a[4];
    actio_context_init(&ctx);
    CHECK(actio_linear_open(&l, &ctx, &empty) == 0 && l.type->factor(l.h, NULL) == 0);
    actio_linear_close(&l);
#ifdef ACTIO_WITH_KLU
    actio_linear_register(&actio_linear_klu);
#endif
    make_band(&a[0], 40, 1, 1);
    make_band(&a[1], 61, 1, 1);
    make_band(&a[2], 100, 99, 99);
    make_random(&a[3], 200, 3, 1);
    const char *expect[] = { "dense", "band", "dense", "sparse" };
    for (size_t k = 0; k < 4; k++) {
        struct actio_pattern p = pattern(&a[k]);
        CHECK(actio_linear_open(&l, &ctx, &p) == 0);
        CHECK(strcmp(l.type->name, expect[k]) == 0);
        actio_linear_close(&l);
        actio_linear_close(&l);
        matrix_close(&a[k]);
    }
    CHECK(ctx.bytes == 0);
}

/* every allocation in turn fails: no leak, no crash, and an answer that says so */
static int allocations_left;

static void *scarce(void *user, void *old, size_t size)
{
    (void)user;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return allocations_left-- > 0 ? realloc(old, size) : NULL;
}

TEST(running_out_of_memory_is_an_answer)
{
    struct matrix a;
    make_random(&a, 120, 4, 0.01); /* grows while it is factored */
    struct actio_pattern p = pattern(&a);
    for (size_t s = 0; s < SOLVERS; s++)
        for (int k = 0, done = 0; !done; k++) {
            struct actio_context ctx;
            actio_context_init(&ctx);
            ctx.allocate = scarce;
            allocations_left = k;
            void *h = solver[s]->open(&ctx, &p);
            int answer = h ? solver[s]->factor(h, a.v) : -1;
            CHECK(answer == 0 || answer == -1);
            done = answer == 0 || k > 200;
            CHECK(k <= 200);
            solver[s]->close(h);
            CHECK(ctx.bytes == 0);
        }
    matrix_close(&a);
}

static void run_sparse(void)
{
    RUN(all_solvers_solve_random_sparse_matrices);
    RUN(all_solvers_solve_bands_arrows_and_saddle_points);
    RUN(sparse_solvers_solve_five_thousand_unknowns);
    RUN(definite_matrices_are_solved_by_all_that_make_use_of_it);
    RUN(memory_of_bands_and_arrows_grows_like_their_entries);
    RUN(a_second_factorisation_has_the_bits_of_a_first_one);
    RUN(a_doubled_constraint_is_reported_by_its_column);
    RUN(an_empty_column_and_a_value_that_is_not_finite_are_reported);
    RUN(columns_in_any_unit_are_no_reason_to_call_a_matrix_singular);
    RUN(pivots_that_leave_the_diagonal_take_no_memory);
    RUN(the_type_is_chosen_by_size_and_density);
    RUN(running_out_of_memory_is_an_answer);
}
