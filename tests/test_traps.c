/* SPDX-License-Identifier: Apache-2.0
 * Motions that are easily computed wrong without noticing: switches met backward, at the start or at rest, long
 * silences, tiny beginnings. */
#include "check.h"

#include <actio/actio.h>

/* Does every claim of this model hold? */
static bool holds(const char *text)
{
    struct actio_context *ctx = actio_context_create(NULL);
    struct actio_findings *f = actio_findings_create(ctx);
    struct actio_model *model = actio_model_read_string(ctx, "trap.act", text, strlen(text), NULL, 0, f);
    struct actio_run_options options = actio_run_options_default();
    size_t count = 0, good = 0;
    struct actio_check *check = model ? actio_test(ctx, model, &options, f, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        good += check[i].ok;
        if (!check[i].ok)
            printf("%s: %.17g, not %.17g %s\n", check[i].claim, check[i].value, check[i].expected, check[i].why);
    }
    for (size_t i = 0; i < actio_findings_count(f); i++) printf("%s\n", actio_findings_message(f, i).message);
    bool all = count > 0 && good == count;
    actio_model_free(model);
    actio_findings_free(f);
    actio_context_free(ctx);
    return all;
}

TEST(a_square_wave_goes_on_period_after_period)
{
    CHECK(holds("state p\nflow p' = sign(sin(t))\ntime 0 .. 50\n"
                "expect p at 6 = 2*pi - 6 within 1e-9\nexpect p at 7 = 7 - 2*pi within 1e-9\nexpect p at 50 = 16*pi - "
                "50 within 1e-9\n"));
}

TEST(switches_are_met_backward_as_well)
{
    CHECK(holds("state p\nflow p' = sign(sin(t))\ntime 10 .. 0\nexpect p at 0 = 10 - 4*pi within 1e-9\n"));
    CHECK(holds("state p\nflow p' = sign(sin(t))\ntime 0 .. -4\nexpect p at -4 = 2*pi - 4 within 1e-9\n"));
    CHECK(holds("coord x\nlagrangian x'^2/2 - abs(x)\nstart x = 1\ntime 8 .. 0\nexpect x at 4 = (4 - 2*sqrt(2))^2/2 - "
                "1 within 1e-9\n"));
    CHECK(holds("coord x\nlagrangian x'^2/2\nforce x = -sign(x')/2\nstart x' = 1\ntime 1 .. 0\nexpect x' at 0 = 3/2 "
                "within 1e-9\n"));
}

TEST(a_switch_that_rests_at_the_start_goes_where_it_is_pushed)
{
    CHECK(holds("coord x\nlagrangian x'^2/2\nforce x = if(x > 0, 1, -1)\ntime 0 .. 2\nexpect verdict undetermined\n"));
    CHECK(holds("coord x\nlagrangian x'^2/2\nforce x = sign(x)\ntime 0 .. 2\nexpect verdict undetermined\n"));
    CHECK(!holds("coord x\nlagrangian x'^2/2\nforce x = sign(x)\ntime 0 .. 2\nexpect x at 2 = 0 within 9\n"));
    CHECK(holds(
        "coord x\nlagrangian x'^2/2\nforce x = if(x > 0, -1, -2)\ntime 0 .. 2\nexpect x at 2 = -4 within 1e-9\n"));
    CHECK(holds("coord x\nlagrangian x'^2/2 - abs(x)\nforce x = -2\ntime 0 .. 3\nexpect x at 3 = -9/2 within 1e-9\n"));
    CHECK(holds("state p\nflow p' = sign(sin(100*t^2))\ntime 0 .. .2\nexpect p at .2 = sqrt(pi)/5 - .2 within 1e-9\n"));
}

TEST(a_switch_at_rest_leaves_when_it_is_pushed)
{
    CHECK(holds("state p\nflow p' = if(p > 0, p, 0) + if(t > 1, 1, 0)\ntime 0 .. 3\nexpect p at 1 = 0 within "
                "1e-9\nexpect p at 3 = exp(2) - 1 within 1e-8\n"));
    CHECK(holds(
        "state p\nflow p' = if(p > 0, p, 0) + max(t - 1, 0)\ntime 0 .. 3\nexpect p at 3 = exp(2) - 3 within 1e-8\n"));
}

TEST(a_pulse_after_a_long_silence_is_not_stepped_over)
{
    CHECK(holds("state p\nflow p' = exp(-(t - 53.7)^2)\ntime 0 .. 100\nexpect p at 100 = sqrt(pi) within 1e-8\n"));
    CHECK(holds(
        "state p\nflow p' = exp(-((t - 53.7)/.3)^2)/.3\ntime 0 .. 100\nexpect p at 100 = sqrt(pi) within 1e-8\n"));
    CHECK(holds("coord x\nlagrangian x'^2/2 + exp(-(x - 60)^2)\nstart x' = 1\ntime 0 .. 100\nexpect x' at 100 = 1 "
                "within 1e-8\nexpect drift(energy) < 1e-8\n"));
}

TEST(what_begins_far_below_the_tolerance_grows_as_it_should)
{
    CHECK(holds("coord x\nlagrangian x'^2/2 + x^2/2\nstart x = 1e-12\ntime 0 .. 30\nexpect x at 30 = 1e-12*cosh(30) "
                "within 1e-6\n"));
    CHECK(holds("coord x\nlagrangian x'^2/2 + x^2/2\nstart x = 1e-20\ntime 0 .. 40\nexpect x at 40 = 1e-20*cosh(40) "
                "within 1e-6\n"));
}

TEST(a_claim_outside_the_interval_fails_and_says_so)
{
    CHECK(!holds("coord x\nlagrangian x'^2/2\ntime 0 .. 1\nexpect x at 5 = 0 within 1\n"));
}

int main(void)
{
    RUN(a_square_wave_goes_on_period_after_period);
    RUN(switches_are_met_backward_as_well);
    RUN(a_switch_that_rests_at_the_start_goes_where_it_is_pushed);
    RUN(a_switch_at_rest_leaves_when_it_is_pushed);
    RUN(a_pulse_after_a_long_silence_is_not_stepped_over);
    RUN(what_begins_far_below_the_tolerance_grows_as_it_should);
    RUN(a_claim_outside_the_interval_fails_and_says_so);
    return DONE();
}
