// SPDX-License-Identifier: Apache-2.0
// The tumbler with Siconos: time stepping by Moreau and Jean, Newton's restitution 1, the gap as a length. Built where the library is installed.
#include <SiconosKernel.hpp>

#include <cmath>
#include <memory>

extern "C" {
#include "tumbler.h"
}

namespace {

// gap = 1 - |q|, its gradient -q/|q|
class Drum : public LagrangianScleronomousR {
public:
    Drum() { _jachq = std::make_shared<SimpleMatrix>(1, 2); }
    void computeh(const BlockVector &q, BlockVector &, SiconosVector &gap) override { gap.setValue(0, 1 - std::hypot(q.getValue(0), q.getValue(1))); }
    void computeJachq(const BlockVector &q, BlockVector &) override
    {
        const double size = std::hypot(q.getValue(0), q.getValue(1));
        for (unsigned i = 0; i < 2; i++) _jachq->setValue(0, i, -q.getValue(i) / size);
    }
    void computeDotJachq(const BlockVector &, BlockVector &, const BlockVector &) override {}
};

std::shared_ptr<SiconosVector> pair(double a, double b)
{
    auto v = std::make_shared<SiconosVector>(2);
    v->setValue(0, a), v->setValue(1, b);
    return v;
}

}

void bench_tumbler_siconos(double span, const double start[4], double g, double step, double out[4])
{
    auto mass = std::make_shared<SimpleMatrix>(2, 2);
    mass->eye();
    auto body = std::make_shared<LagrangianLinearTIDS>(pair(start[0], start[1]), pair(start[2], start[3]), mass);
    body->setFExtPtr(pair(0, -g));
    auto wall = std::make_shared<Interaction>(std::make_shared<NewtonImpactNSL>(1.0), std::make_shared<Drum>());
    auto scene = std::make_shared<NonSmoothDynamicalSystem>(0, span);
    scene->insertDynamicalSystem(body);
    scene->link(wall, body);
    auto march = std::make_shared<TimeStepping>(scene, std::make_shared<TimeDiscretisation>(0, step), std::make_shared<MoreauJeanOSI>(0.5), std::make_shared<LCP>());
    for (long i = 0, steps = std::lround(span / step); i < steps; i++) {
        march->computeOneStep();
        march->nextStep();
    }
    for (unsigned i = 0; i < 2; i++) out[i] = body->q()->getValue(i), out[2 + i] = body->velocity()->getValue(i);
}
