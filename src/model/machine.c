/* SPDX-License-Identifier: Apache-2.0
 * A stack machine that turns postfix code into expressions: sums are its loops, indices are bound to whole numbers. */
#include "model/reader.h"

#include <math.h>
#include <string.h>

#define NUMBERS ACTIO_BIT(PARAM)
#define MOTION                                                                                                         \
    (NUMBERS | ACTIO_BIT(AXIS) | ACTIO_BIT(T) | ACTIO_BIT(HELD) | ACTIO_BIT(Q) | ACTIO_BIT(V) | ACTIO_BIT(STATE))
#define FORCE (MOTION | ACTIO_BIT(EXTERNAL))
#define ANYTHING (FORCE | ACTIO_BIT(ACC) | ACTIO_BIT(SDOT) | ACTIO_BIT(LAMBDA) | ACTIO_BIT(COLUMN))

/* What may stand where, and what to say about an acceleration that may not. */
static const struct {
    const char *what;
    unsigned allowed;
    enum actio_code acceleration;
} settings[] = {
    [ACTIO_IN_PARAM] = { "a param", NUMBERS, ACTIO_F_COUNT },
    [ACTIO_IN_BOUND] = { "a bound", NUMBERS, ACTIO_F_COUNT },
    [ACTIO_IN_INDEX] = { "an index", NUMBERS, ACTIO_F_COUNT },
    [ACTIO_IN_START] = { "an initial value", NUMBERS | ACTIO_BIT(AXIS), ACTIO_F_COUNT },
    [ACTIO_IN_TIME] = { "the time interval", NUMBERS, ACTIO_F_COUNT },
    [ACTIO_IN_CLAIM] = { "a claim's number", NUMBERS, ACTIO_F_COUNT },
    [ACTIO_IN_REQUIRE] = { "a condition's number", NUMBERS, ACTIO_F_COUNT },
    [ACTIO_IN_LET] = { "a let", ANYTHING, ACTIO_F_COUNT },
    [ACTIO_IN_OBSERVE] = { "an observe", ANYTHING & ~ACTIO_BIT(EXTERNAL), ACTIO_F_COUNT },
    [ACTIO_IN_LAGRANGIAN] = { "a lagrangian", MOTION, ACTIO_F_ACCELERATION_IN_LAGRANGIAN },
    [ACTIO_IN_DISSIPATION] = { "a dissipation", MOTION, ACTIO_F_ACCELERATION_HERE },
    [ACTIO_IN_FORCE] = { "a force", FORCE, ACTIO_F_ACCELERATION_IN_FORCE },
    [ACTIO_IN_FLOW_LEFT] = { "a flow", MOTION | ACTIO_BIT(SDOT), ACTIO_F_ACCELERATION_IN_FLOW },
    [ACTIO_IN_FLOW_RIGHT] = { "a flow's right side", MOTION, ACTIO_F_ACCELERATION_IN_FLOW },
    [ACTIO_IN_CONSTRAINT] = { "a constraint", MOTION | ACTIO_BIT(ACC), ACTIO_F_COUNT },
    [ACTIO_IN_ALONG] = { "the direction of a reaction", MOTION, ACTIO_F_ACCELERATION_HERE },
    [ACTIO_IN_SYMMETRY] = { "a symmetry", MOTION, ACTIO_F_ACCELERATION_HERE },
    [ACTIO_IN_FRAME] = { "a frame", MOTION & ~ACTIO_BIT(STATE), ACTIO_F_ACCELERATION_HERE },
    [ACTIO_IN_GAP] = { "the gap of a contact", NUMBERS | ACTIO_BIT(T) | ACTIO_BIT(HELD) | ACTIO_BIT(Q),
                       ACTIO_F_ACCELERATION_HERE },
    [ACTIO_IN_OPTION] = { "an option", MOTION, ACTIO_F_ACCELERATION_HERE },
    [ACTIO_IN_EVENT] = { "an event", MOTION, ACTIO_F_ACCELERATION_HERE },
    [ACTIO_IN_ASSIGN] = { "a value that an instant sets", MOTION, ACTIO_F_ACCELERATION_HERE },
    [ACTIO_IN_PERIOD] = { "the time of an every", NUMBERS, ACTIO_F_COUNT },
    [ACTIO_IN_WEIGHT] = { "a weight", NUMBERS | ACTIO_BIT(T), ACTIO_F_ACCELERATION_HERE },
    [ACTIO_IN_POTENTIAL] = { "a potential", MOTION | ACTIO_BIT(BASE), ACTIO_F_ACCELERATION_HERE },
};

struct machine {
    struct actio_reader *r;
    uint16_t origin;
    enum actio_setting in;
    uint32_t ip, loops;
    uint32_t divided_at; /* the last division by 0 */
    bool poisoned;       /* a name was wrong: the rest is run only for its faults */
};

static bool machine_fault(struct machine *m, enum actio_code code, uint32_t at, const struct actio_value arg[6])
{
    actio_reader_fault_at(m->r, code, m->origin, at, arg);
    return false;
}

/* ---- which spaces occur: one pass over new nodes, since operands come before users */

_Static_assert(ACTIO_SPACE_COUNT <= 32, "a bit for each space");
/* a division by 0, which has no value at any state: by the bit of a space that no formula of a model's text has */
#define BY_ZERO ACTIO_BIT(FROZEN)

static bool is_by_zero(const struct actio_pool *pool, uint32_t id)
{
    const struct actio_node *n = &pool->node[id];
    return (n->op == ACTIO_DIV || n->op == ACTIO_MOD) && actio_is_zero((actio_expr){ n->b });
}

static unsigned own_space(const struct actio_pool *pool, uint32_t id)
{
    if (is_by_zero(pool, id)) return BY_ZERO;
    return pool->node[id].op == ACTIO_SYMBOL ? 1u << pool->slot[pool->node[id].a].space : 0;
}

static unsigned mask_of(struct actio_reader *r, actio_expr e)
{
    const struct actio_pool *pool = &r->model->pool;
    if (r->nodes.masks_cap < pool->count) {
        r->nodes.mask = actio_arena_grow(&r->scratch, r->nodes.mask, r->nodes.masks_cap * sizeof *r->nodes.mask,
                                         pool->cap * sizeof *r->nodes.mask);
        r->nodes.masks_cap = pool->cap;
    }
    for (; r->nodes.masks < pool->count; r->nodes.masks++) {
        const struct actio_node *n = &pool->node[r->nodes.masks];
        const uint32_t arg[3] = { n->a, n->b, n->c };
        unsigned mask = own_space(pool, r->nodes.masks);
        for (int k = 0; k < actio_arity((enum actio_op)n->op); k++) mask |= r->nodes.mask[arg[k]];
        r->nodes.mask[r->nodes.masks] = mask;
    }
    return r->nodes.mask[e.id];
}

unsigned actio_machine_spaces(struct actio_reader *r, actio_expr e) { return mask_of(r, e) & ~BY_ZERO; }

actio_expr *actio_machine_symbols(struct actio_reader *r, actio_expr e, enum actio_space space, uint32_t *count)
{
    struct actio_pool *pool = &r->model->pool;
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    actio_expr *found = NULL;
    uint32_t cap = 0;
    *count = 0;
    for (uint32_t i = 0; i < cone.count; i++)
        if (own_space(pool, cone.id[i]) == 1u << space)
            ACTIO_PUSH(&r->scratch, found, *count, cap) = (actio_expr){ cone.id[i] };
    return found;
}

/* ---- what may stand here */

static const char *quoted(struct machine *m, uint32_t at)
{
    return actio_reader_quote(m->r, m->origin, at, actio_lex_length(m->r, m->origin, at));
}

/* What is at fault, as written: x'' for the second of two primes. */
static const char *culprit(struct machine *m, uint32_t at)
{
    const char *shown = quoted(m, at);
    for (uint32_t i = m->ip;
         m->r->parsed.step[i].kind == ACTIO_ST_RATE && m->r->parsed.step[i].at == at && *shown != '\''; i--)
        if (strlen(shown) < 60) shown = actio_arena_format(&m->r->scratch, "%s'", shown);
    return shown;
}

static bool allowed(struct machine *m, actio_expr e, uint32_t at)
{
    unsigned wrong = actio_machine_spaces(m->r, e) & ~settings[m->in].allowed;
    const char *what = settings[m->in].what;
    if (!wrong) return true;
    if (wrong & ACTIO_BIT(EXTERNAL)) return machine_fault(m, ACTIO_F_EXTERNAL_HERE, at, ACTIO_ARGS(ACTIO_TEXT(what)));
    struct actio_value shown = ACTIO_TEXT(culprit(m, at)), here = ACTIO_TEXT(what);
    const char *remedy =
        m->in == ACTIO_IN_REQUIRE ? "name the difference: observe NAME = A - B, and write require NAME at T = 0" : "";
    if ((settings[m->in].allowed & ~ACTIO_BIT(AXIS)) == NUMBERS)
        return machine_fault(m, ACTIO_F_NOT_CONSTANT, at, ACTIO_ARGS(shown, here, ACTIO_TEXT(remedy)));
    if (wrong & ACTIO_BIT(ACC)) return machine_fault(m, settings[m->in].acceleration, at, ACTIO_ARGS(shown, here));
    if (wrong & ACTIO_BIT(SDOT)) return machine_fault(m, ACTIO_F_STATE_RATE_HERE, at, ACTIO_ARGS(shown, here));
    if (!(wrong & (ACTIO_BIT(V) | ACTIO_BIT(STATE))))
        return machine_fault(m, ACTIO_F_RESULT_HERE, at, ACTIO_ARGS(shown, here));
    return machine_fault(m, m->in == ACTIO_IN_GAP ? ACTIO_F_GAP_IS_POSITION : ACTIO_F_STATE_HERE, at,
                         ACTIO_ARGS(shown, here));
}

/* ---- the stack */

static void push(struct machine *m, actio_expr e)
{
    struct actio_reader *r = m->r;
    ACTIO_PUSH(&r->scratch, r->machine.value, r->machine.values, r->machine.values_cap) = e;
}

static actio_expr pop(struct machine *m) { return m->r->machine.value[--m->r->machine.values]; }

static bool push_result(struct machine *m, actio_expr e, uint32_t at)
{
    const struct actio_pool *pool = &m->r->model->pool;
    if (actio_is_const(pool, e) && !isfinite(actio_const_value(pool, e)))
        return machine_fault(m, ACTIO_F_NOT_FINITE, at, ACTIO_NO_ARGS);
    if (is_by_zero(pool, e.id)) m->divided_at = at;
    push(m, e);
    return true;
}

uint32_t actio_formula_at(const struct actio_reader *r, struct actio_formula f) { return r->parsed.step[f.first].at; }

/* The params that a whole number is made of decide how large the model is. */
static bool mark_leaf(struct actio_reader *r, uint32_t id)
{
    struct actio_model *m = r->model;
    if (own_space(&m->pool, id) == ACTIO_BIT(PARAM)) m->param[m->pool.slot[m->pool.node[id].a].index].sizes = true;
    return !actio_arity((enum actio_op)m->pool.node[id].op);
}

/* n - 1 in a sum of many terms comes often: it needs no list of symbols. */
static void mark_sizes(struct actio_reader *r, actio_expr e)
{
    uint32_t count;
    const struct actio_node *n = &r->model->pool.node[e.id];
    int arity = actio_arity((enum actio_op)n->op);
    if (!(actio_machine_spaces(r, e) & ACTIO_BIT(PARAM)) || mark_leaf(r, e.id)) return;
    bool leaves = mark_leaf(r, n->a);
    if (arity > 1) leaves = mark_leaf(r, n->b) && leaves;
    if (leaves && arity < 3) return;
    actio_expr *param = actio_machine_symbols(r, e, ACTIO_SPACE_PARAM, &count);
    for (uint32_t i = 0; i < count; i++) mark_leaf(r, param[i].id);
}

void actio_machine_keep_rule(struct actio_reader *r, struct actio_number_rule rule)
{
    struct actio_model *m = r->model;
    uint32_t count = (uint32_t)m->numbers.rules;
    unsigned spaces = actio_machine_spaces(r, rule.e) | actio_machine_spaces(r, rule.other);
    if (!(spaces & ACTIO_BIT(PARAM)) && !rule.axis) return;
    ACTIO_PUSH(&m->arena, m->numbers.rule, count, r->cap.rules) = rule;
    m->numbers.rules = count;
}

bool actio_machine_whole(struct actio_reader *r, actio_expr e, uint16_t origin, uint32_t at, double *out)
{
    double x = actio_model_number(r->model, e), near = nearbyint(x);
    *out = near;
    mark_sizes(r, e);
    if (fabs(x - near) < 1e-9 && fabs(x) <= 1e15) return true;
    actio_reader_fault_at(r, ACTIO_F_NOT_WHOLE, origin, at, ACTIO_ARGS(ACTIO_NUMBER(isnan(x) ? NAN : x)));
    return false;
}

/* ---- names */

/* After a wrong name a formula goes on with something harmless, but not round a sum. */
static bool go_on(struct machine *m)
{
    m->poisoned = true;
    push(m, actio_symbol(&m->r->model->pool, ACTIO_SPACE_T, 0));
    return m->r->machine.loops == m->loops;
}

/* NAME( where NAME is not a field. */
static bool not_a_function(struct machine *m, uint32_t word, uint32_t at)
{
    return machine_fault(
        m, ACTIO_F_NOT_A_FUNCTION, at,
        ACTIO_ARGS(ACTIO_TEXT(actio_word_text(m->r, word)), ACTIO_TEXT(actio_word_function_hint(m->r, word))));
}

static bool name(struct machine *m, const struct actio_step *s, bool indexed, double index)
{
    struct actio_use use = { s->u.use.word, indexed, index, m->origin, s->at, m->in, false };
    struct actio_symbol_ref ref;
    uint32_t at = s->at;
    if (use.word == ACTIO_W_pi && !indexed) {
        push(m, actio_const(&m->r->model->pool, 3.14159265358979323846));
        return true;
    }
    actio_expr e;
    const struct actio_word *w = &m->r->vocabulary.word[use.word];
    if (s->op && !w->definition && !w->label && !w->suspect) return not_a_function(m, use.word, at);
    if (use.word == ACTIO_W_t && !indexed) e = actio_symbol(&m->r->model->pool, ACTIO_SPACE_T, 0);
    else if (!actio_resolve(m->r, &use, &ref)) return go_on(m);
    else e = actio_resolved_expr(m->r, ref);
    if (!allowed(m, e, at)) return false;
    push(m, e);
    return true;
}

static bool index_step(struct machine *m, const struct actio_step *s)
{
    double index;
    actio_expr e = pop(m);
    if (m->poisoned) return false;
    if (actio_machine_spaces(m->r, e) & ~NUMBERS)
        return machine_fault(m, ACTIO_F_NOT_CONSTANT, s->at,
                             ACTIO_ARGS(ACTIO_TEXT(quoted(m, s->at)), ACTIO_TEXT("an index")));
    return actio_machine_whole(m->r, e, m->origin, s->at, &index) && name(m, s, true, index);
}

/* ---- time derivatives */

static bool can_change(struct machine *m, uint32_t at)
{
    const struct actio_step *before = &m->r->parsed.step[m->ip - 1];
    if (before->kind == ACTIO_ST_NUMBER || before->kind == ACTIO_ST_BOUND)
        return machine_fault(m, ACTIO_F_RATE_OF_CONSTANT, at, ACTIO_ARGS(ACTIO_TEXT(quoted(m, before->at))));
    if (before->kind != ACTIO_ST_NAME && before->kind != ACTIO_ST_INDEX) return true;
    const struct actio_node *n = &m->r->model->pool.node[m->r->machine.value[m->r->machine.values - 1].id];
    bool param = n->op == ACTIO_SYMBOL
                 && (m->r->model->pool.slot[n->a].space == ACTIO_SPACE_PARAM
                     || m->r->model->pool.slot[n->a].space == ACTIO_SPACE_AXIS
                     || m->r->model->pool.slot[n->a].space == ACTIO_SPACE_HELD);
    return !param || machine_fault(m, ACTIO_F_RATE_OF_CONSTANT, at, ACTIO_ARGS(ACTIO_TEXT(quoted(m, before->at))));
}

static actio_expr known_rate(struct actio_reader *r, actio_expr e)
{
    struct actio_pool *pool = &r->model->pool;
    if (r->nodes.rates_cap < pool->count) {
        r->nodes.rate = actio_arena_grow(&r->scratch, r->nodes.rate, r->nodes.rates_cap * sizeof *r->nodes.rate,
                                         pool->cap * sizeof *r->nodes.rate);
        r->nodes.rates_cap = pool->cap;
    }
    if (r->nodes.rate[e.id] == 0) {
        actio_poll(r->ctx);
        r->nodes.rate[e.id] = actio_rate(pool, e).id + 1;
    }
    return (actio_expr){ r->nodes.rate[e.id] - 1 };
}

static bool rate_step(struct machine *m, const struct actio_step *s)
{
    uint32_t at = s->at;
    if (!can_change(m, at)) return false;
    actio_expr e = pop(m);
    unsigned spaces = actio_machine_spaces(m->r, e);
    if (spaces & (ACTIO_BIT(ACC) | ACTIO_BIT(SDOT))) return machine_fault(m, ACTIO_F_RATE_TOO_HIGH, at, ACTIO_NO_ARGS);
    if (spaces & (ACTIO_BIT(LAMBDA) | ACTIO_BIT(COLUMN)))
        return machine_fault(m, ACTIO_F_RATE_OF_RESULT, at, ACTIO_NO_ARGS);
    e = known_rate(m->r, e);
    return allowed(m, e, at) && push_result(m, e, at);
}

/* ---- sums */

static bool sum_step(struct machine *m, const struct actio_step *s)
{
    struct actio_reader *r = m->r;
    double low, high;
    uint32_t at = s->at, word = s->u.use.word, jump = s->u.use.jump;
    actio_expr to = pop(m), from = pop(m);
    if (m->poisoned) return false;
    if ((actio_machine_spaces(r, to) | actio_machine_spaces(r, from)) & ~NUMBERS)
        return machine_fault(m, ACTIO_F_NOT_CONSTANT, at,
                             ACTIO_ARGS(ACTIO_TEXT("the range of the sum"), ACTIO_TEXT("a bound")));
    if (!actio_machine_whole(r, from, m->origin, at, &low) || !actio_machine_whole(r, to, m->origin, at, &high))
        return false;
    if (high - low + 1 > r->ctx->nodes_limit)
        return machine_fault(m, ACTIO_F_TOO_LARGE, at,
                             ACTIO_ARGS(ACTIO_TEXT("the sum"),
                                        ACTIO_TEXT(actio_arena_format(&r->scratch, "%.0f terms", high - low + 1)),
                                        ACTIO_COUNT(r->ctx->nodes_limit)));
    push(m, (actio_expr){ 0 });
    if (high < low) {
        m->ip = jump - 1;
        return true;
    }
    ACTIO_PUSH(&r->scratch, r->machine.loop, r->machine.loops, r->machine.loops_cap) = (struct actio_loop){
        .word = word, .begin = m->ip, .now = low, .last = high, .saved = r->vocabulary.word[word].bound
    };
    r->vocabulary.word[word].bound = low;
    return true;
}

static bool sum_end_step(struct machine *m, const struct actio_step *s)
{
    struct actio_reader *r = m->r;
    struct actio_loop *loop = &r->machine.loop[r->machine.loops - 1];
    actio_expr term = pop(m), sum = pop(m);
    if (!push_result(m, actio_add(&r->model->pool, sum, term), s->at)) return false;
    if (++loop->now <= loop->last) {
        r->vocabulary.word[loop->word].bound = loop->now;
        m->ip = loop->begin;
    } else {
        r->vocabulary.word[loop->word].bound = loop->saved;
        r->machine.loops--;
    }
    return true;
}

/* ---- fields */

static uint16_t axis_of(const struct machine *m, actio_expr e)
{
    const struct actio_pool *pool = &m->r->model->pool;
    const struct actio_node *n = &pool->node[e.id];
    return n->op == ACTIO_SYMBOL && pool->slot[n->a].space == ACTIO_SPACE_AXIS ? pool->slot[n->a].axis : 0;
}

static bool is_over_axis(enum actio_op op) { return op == ACTIO_DIFF || op == ACTIO_INTEGRAL || op == ACTIO_RUNNING; }

/* diff(e, s), integral(s, e), running(s, e) */
static bool over_axis(struct machine *m, enum actio_op op, actio_expr e, actio_expr s, uint32_t at)
{
    struct actio_pool *pool = &m->r->model->pool;
    uint16_t axis = axis_of(m, s);
    if (m->poisoned) return go_on(m);
    const char *form = op == ACTIO_DIFF       ? "diff(EXPR, s)"
                       : op == ACTIO_INTEGRAL ? "integral(s, EXPR)"
                                              : "running(s, EXPR)";
    if (!axis)
        return machine_fault(m, ACTIO_F_NO_AXIS_GIVEN, at, ACTIO_ARGS(ACTIO_TEXT(actio_op_text(op)), ACTIO_TEXT(form)));
    if (op == ACTIO_DIFF && !(actio_open_axes(m->r, e) & 1u << axis))
        return machine_fault(m, ACTIO_F_DIFF_OF_POINT, at,
                             ACTIO_ARGS(ACTIO_TEXT(m->r->model->field.axis[axis - 1].name)));
    push(m, actio_op2(pool, op, e, s));
    return true;
}

/* The name before the bracket of x(c), for messages. */
static const struct actio_step *called(const struct machine *m, uint32_t at)
{
    const struct actio_step *found = NULL;
    for (uint32_t i = m->ip; i-- > 0 && !found;)
        if (m->r->parsed.step[i].kind == ACTIO_ST_NAME && m->r->parsed.step[i].op && m->r->parsed.step[i].at < at)
            found = &m->r->parsed.step[i];
    return found;
}

static bool at_step(struct machine *m, const struct actio_step *s)
{
    struct actio_reader *r = m->r;
    uint32_t at = s->at;
    actio_expr place = pop(m), e = pop(m);
    if (m->poisoned) return go_on(m);
    unsigned open = actio_open_axes(r, e), axis = 0;
    while (axis < 31 && !(open & 1u << axis)) axis++;
    const struct actio_step *name = called(m, at);
    if (open == 0)
        return name ? not_a_function(m, name->u.use.word, name->at)
                    : machine_fault(m, ACTIO_F_IMPLICIT_PRODUCT, at, ACTIO_ARGS(ACTIO_TEXT("..."), ACTIO_TEXT("(")));
    if (open & (open - 1)) return machine_fault(m, ACTIO_F_TWO_AXES, at, ACTIO_NO_ARGS);
    if (actio_machine_spaces(r, place) & ~NUMBERS)
        return machine_fault(m, ACTIO_F_PLACE_NOT_CONSTANT, at, ACTIO_NO_ARGS);
    const struct actio_axis *x = &r->model->field.axis[axis - 1];
    double c = actio_model_number(r->model, place), slack = 1e-12 * (fabs(x->a) + fabs(x->b));
    if (!(c >= x->a - slack && c <= x->b + slack))
        return machine_fault(m, ACTIO_F_PLACE_OUTSIDE, at,
                             ACTIO_ARGS(ACTIO_NUMBER(c), ACTIO_TEXT(x->name), ACTIO_NUMBER(x->a), ACTIO_NUMBER(x->b)));
    actio_machine_keep_rule(
        r, (struct actio_number_rule){ .kind = ACTIO_RULE_INSIDE, .axis = (uint16_t)axis, .e = place, .slack = 1e-12 });
    push(m, actio_field_at(r, e, (uint16_t)axis, place));
    return true;
}

/* ---- one step, and all */

/* Each sum in the text once: of a family or a loop the first. */
static void keep_sum(struct machine *m, actio_expr a, actio_expr b)
{
    struct actio_reader *r = m->r;
    struct actio_model *model = r->model;
    struct actio_step *s = &r->parsed.step[m->ip];
    uint32_t count = (uint32_t)model->written.sums;
    if (s->kept || m->origin != 0 || m->poisoned) return;
    s->kept = true;
    ACTIO_PUSH(&model->arena, model->written.sum, count, r->cap.sums) = (struct actio_written_sum){
        .a = a, .b = b, .minus = s->op == ACTIO_SUB, .from = s->u.use.word, .at = s->at, .to = s->u.use.jump
    };
    model->written.sums = count;
}

static bool operation(struct machine *m, const struct actio_step *s)
{
    struct actio_pool *pool = &m->r->model->pool;
    enum actio_op op = (enum actio_op)s->op;
    uint32_t at = s->at;
    actio_expr c = pop(m);
    if (s->kind == ACTIO_ST_OP1) return push_result(m, actio_op1(pool, op, c), at);
    actio_expr b = pop(m);
    if (s->kind == ACTIO_ST_OP2 && (op == ACTIO_ADD || op == ACTIO_SUB)) keep_sum(m, b, c);
    if (is_over_axis(op)) return s->kind == ACTIO_ST_OP2 ? over_axis(m, op, b, c, at) : over_axis(m, op, c, b, at);
    if (s->kind == ACTIO_ST_OP2) return push_result(m, actio_op2(pool, op, b, c), at);
    if (s->kind == ACTIO_ST_SWAPPED) return push_result(m, actio_op2(pool, op, c, b), at);
    actio_expr a = pop(m);
    return push_result(m, actio_choose(pool, a, b, c), at);
}

/* ---- forces from outside */

static bool external_step(struct machine *m, const struct actio_step *s)
{
    struct actio_reader *r = m->r;
    struct actio_model *model = r->model;
    uint32_t count = (uint32_t)model->outside.count, k = 0;
    const char *text = actio_word_text(r, s->u.use.word);
    while (k < count && strcmp(model->outside.line[k].name, text) != 0) k++;
    if (k == count) {
        ACTIO_PUSH(&model->arena, model->outside.line, count, r->cap.externals) =
            (struct actio_external_line){ .name = text,
                                          .span = actio_source_span(&r->origin[m->origin].source, s->at, s->at + 8) };
        model->outside.count = count;
    }
    actio_expr e = actio_symbol(&model->pool, ACTIO_SPACE_EXTERNAL, k);
    if (!allowed(m, e, s->at)) return false;
    push(m, e);
    return true;
}

static bool run_step(struct machine *m)
{
    const struct actio_step *s = &m->r->parsed.step[m->ip];
    switch ((enum actio_instr_kind)s->kind) {
    case ACTIO_ST_NUMBER: push(m, actio_const(&m->r->model->pool, s->u.number)); return true;
    case ACTIO_ST_BOUND:
        push(m, actio_const(&m->r->model->pool, m->r->vocabulary.word[s->u.use.word].bound));
        return true;
    case ACTIO_ST_NAME: return name(m, s, false, 0);
    case ACTIO_ST_INDEX: return index_step(m, s);
    case ACTIO_ST_RATE: return rate_step(m, s);
    case ACTIO_ST_SUM: return sum_step(m, s);
    case ACTIO_ST_SUM_END: return sum_end_step(m, s);
    case ACTIO_ST_AT: return at_step(m, s);
    case ACTIO_ST_EXTERNAL: return external_step(m, s);
    case ACTIO_ST_OP1:
    case ACTIO_ST_OP2:
    case ACTIO_ST_SWAPPED:
    case ACTIO_ST_IF: break;
    }
    return operation(m, s);
}

static bool within_budget(struct machine *m)
{
    struct actio_reader *r = m->r;
    if ((++r->machine.steps_done & 1023) == 0) actio_poll(r->ctx);
    if (r->machine.steps_done <= ACTIO_STEP_LIMIT) return true;
    actio_reader_fault_at(r, ACTIO_F_TOO_LARGE, m->origin, r->parsed.step[m->ip].at,
                          ACTIO_ARGS(ACTIO_TEXT("the work of sums and families"),
                                     ACTIO_TEXT("more terms than this version expands"),
                                     ACTIO_COUNT(ACTIO_STEP_LIMIT)));
    actio_escape(r->ctx);
}

/* What is left of the formula does not divide by 0: a branch that is not taken may. */
static bool has_value(struct machine *m)
{
    if (!(mask_of(m->r, m->r->machine.value[m->r->machine.values - 1]) & BY_ZERO)) return true;
    return machine_fault(m, ACTIO_F_DIVIDES_BY_ZERO, m->divided_at, ACTIO_ARGS(ACTIO_TEXT(quoted(m, m->divided_at))));
}

bool actio_machine_run(struct actio_reader *r, struct actio_formula f, enum actio_setting in, actio_expr *out)
{
    struct machine m = { .r = r, .origin = f.origin, .in = in, .loops = r->machine.loops };
    m.divided_at = actio_formula_at(r, f);
    uint32_t values = r->machine.values, loops = r->machine.loops;
    bool ok = true;
    for (m.ip = f.first; ok && m.ip < f.first + f.count; m.ip++) ok = within_budget(&m) && run_step(&m);
    ok = ok && !m.poisoned && has_value(&m);
    *out = ok ? r->machine.value[r->machine.values - 1] : (actio_expr){ 0 };
    for (; r->machine.loops > loops; r->machine.loops--)
        r->vocabulary.word[r->machine.loop[r->machine.loops - 1].word].bound =
            r->machine.loop[r->machine.loops - 1].saved;
    r->machine.values = values;
    return ok;
}

bool actio_machine_number(struct actio_reader *r, struct actio_formula f, enum actio_setting in, double *out)
{
    actio_expr e;
    bool ok = actio_machine_run(r, f, in, &e);
    *out = ok ? actio_model_number(r->model, e) : 0;
    return ok;
}

static bool bound(struct actio_reader *r, struct actio_formula f, double *out)
{
    actio_expr e;
    return actio_machine_run(r, f, ACTIO_IN_BOUND, &e)
           && actio_machine_whole(r, e, f.origin, actio_formula_at(r, f), out);
}

bool actio_machine_range(struct actio_reader *r, const struct actio_range *range, double *low, double *high)
{
    *low = *high = 0;
    if (range->kind != ACTIO_R_FAMILY) return true;
    if (!bound(r, range->from, low) || !bound(r, range->to, high)) return false;
    if (*high - *low + 1 <= ACTIO_FAMILY_LIMIT && fabs(*low) < 1e9) return true;
    actio_reader_fault_at(r, ACTIO_F_TOO_LARGE, range->from.origin, actio_formula_at(r, range->from),
                          ACTIO_ARGS(ACTIO_TEXT("the family"),
                                     ACTIO_TEXT(actio_arena_format(&r->scratch, "%.0f members", *high - *low + 1)),
                                     ACTIO_COUNT(ACTIO_FAMILY_LIMIT)));
    return false;
}
