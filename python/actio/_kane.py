# SPDX-License-Identifier: Apache-2.0
"""The inputs of KanesMethod as a model: energies of the bodies, loads as generalized forces, constraints.

Speeds are functions of the rates of the coordinates. A mass center's velocity may not be the rate of a position that
the coordinates determine: a wheel's center, where the wheel rolls. The energy then needs coordinates for the position,
and rolling is a velocity constraint between them."""
from __future__ import annotations

import random
from typing import Any, Sequence

import sympy
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import KanesMethod, Particle, RigidBody, dynamicsymbols

from ._errors import wrong_usage
from ._sympy import System, generalized, labelled, rate
from ._sympy_text import plain_name

SAMPLES = 5


class Numbers:
    """Values of expressions at random places; an identity holds at all of them."""

    def __init__(self, seed: int = 7) -> None:
        self.random, self.values = random.Random(seed), {}  # type: ignore[var-annotated]

    def vanishes(self, expression: Any) -> bool:
        """Up to rounding, at every sample."""
        expression = sympy.sympify(expression)
        if expression == 0:
            return True
        places = sorted(expression.atoms(sympy.Derivative), key=str), sorted(expression.atoms(AppliedUndef), key=str)
        names = [*places[0], *places[1], *sorted(expression.free_symbols, key=str)]
        stand_in = {name: sympy.Dummy() for name in names}
        plain = expression.xreplace({n: stand_in[n] for n in places[0]}).xreplace({n: stand_in[n] for n in names})
        function = sympy.lambdify(list(stand_in.values()), plain, "mpmath")
        return all(abs(function(*[self.at(name, k) for name in names])) < 1e-9 for k in range(SAMPLES))

    def at(self, name: Any, sample: int) -> float:
        key = name, sample
        if key not in self.values:
            self.values[key] = self.random.uniform(.3, 1.1)
        return self.values[key]  # type: ignore[no-any-return]


class Kane:
    def __init__(self, method: Any, bodies: Any, loads: Any) -> None:
        if len(method._uaux):
            raise wrong_usage("auxiliary speeds do not map to a model", "remove u_auxiliary; reactions are columns of the result")
        self.method, self.frame, self.numbers = method, method._inertial, Numbers()
        self.bodies = list(bodies if bodies is not None else method._bodylist or ())
        self.loads = list(loads if loads is not None else method._forcelist or ())
        if not self.bodies:
            raise wrong_usage("the KanesMethod does not have bodies", "call kanes_equations first, or add bodies=[...]")
        self.q = list(method.q)
        self.speeds = self.solved()
        self.extra: list[Any] = []
        self.rolling: list[tuple[str, Any]] = []

    def solved(self) -> dict[Any, Any]:
        """u as functions of q', from the kinematical differential equations."""
        method = self.method
        rates, u = sympy.Matrix([rate(q) for q in self.q]), list(method.u)
        of = sympy.Matrix([method._qdot_u_map[one] for one in rates])
        matrix, rest = of.jacobian(u), of.subs({one: 0 for one in u})
        if matrix.shape[0] != matrix.shape[1]:
            raise wrong_usage("%d speeds and %d coordinates do not map to a model" % (len(u), len(self.q)),
                              "use as many speeds as coordinates")
        solution = matrix.LUsolve(rates - rest)
        return {one: sympy.trigsimp(value) if value.count_ops() < 400 else value for one, value in zip(u, solution)}

    def in_rates(self, value: Any) -> Any:
        """A scalar or vector with speeds replaced by rates of coordinates."""
        return value.subs(self.speeds) if value != 0 else value

    def closed(self, component: Any) -> bool:
        """Is it the rate of a function of coordinates and time?"""
        variables = [*self.q, dynamicsymbols._t]
        form = [component.diff(rate(q)) for q in self.q]
        form.append(component - sum(a * rate(q) for a, q in zip(form, self.q)))
        stand_in = {q: sympy.Dummy() for q in self.q}
        form = [a.subs({rate(q): 0 for q in self.q}) if k == len(self.q) else a for k, a in enumerate(form)]
        plain = [sympy.sympify(a).xreplace(stand_in) for a in form]
        places = [stand_in.get(v, v) for v in variables]
        return all(self.numbers.vanishes(plain[j].diff(places[i]) - plain[i].diff(places[j]))
                   for i in range(len(plain)) for j in range(i))

    def moving(self, body: Any, point: Any) -> Any:
        """The square of the mass center's velocity; positions become coordinates where they must."""
        velocity = self.in_rates(point.vel(self.frame))
        if velocity == 0:
            return sympy.Integer(0)
        components = [sympy.sympify(one) for one in velocity.to_matrix(self.frame)]
        components = [sympy.trigsimp(one) if one.count_ops() < 300 else one for one in components]
        if all(self.closed(one) for one in components):
            return velocity.dot(velocity)
        square: Any = 0
        for axis, component in zip("xyz", components):
            if not self.closed(component):
                position = dynamicsymbols("%s_%s" % (plain_name(str(body)), axis))
                self.extra.append(position)
                self.rolling.append(("rolling_%s_%s" % (plain_name(str(body)), axis), rate(position) - component))
                component = rate(position)
            square += component**2
        return square

    def turning(self, body: Any) -> Any:
        """Twice the energy of rotation."""
        omega = self.in_rates(body.frame.ang_vel_in(self.frame))
        self.check_turning(body, omega)
        return omega.dot(body.central_inertia.dot(omega)) if omega != 0 else 0

    def check_turning(self, body: Any, omega: Any) -> None:
        """The angular velocity must be that of the orientation, otherwise coordinates do not determine it."""
        turn = self.frame.dcm(body.frame)
        spin = turn.diff(dynamicsymbols._t) * turn.T
        expected = [spin[2, 1], spin[0, 2], spin[1, 0]]
        found = omega.to_matrix(self.frame) if omega != 0 else sympy.zeros(3, 1)
        if not all(self.numbers.vanishes(a - b) for a, b in zip(expected, found)):
            raise wrong_usage("the angular velocity of %s is not the rate of its orientation" % body,
                              "orient its frame by coordinates")

    def energy(self) -> Any:
        total: Any = 0
        for body in self.bodies:
            if isinstance(body, RigidBody):
                total += body.mass * self.moving(body, body.masscenter) / 2 + sympy.sympify(self.turning(body)) / 2
            elif isinstance(body, Particle):
                total += body.mass * self.moving(body, body.point) / 2
            else:
                raise wrong_usage("%r is neither a Particle nor a RigidBody" % (body,))
        return total

    def constraints(self) -> list[tuple[str, Any]]:
        """Configuration constraints, and velocity constraints that are not their rates."""
        method = self.method
        held = list(method._f_h)
        rows = list(method._f_nh + method._k_nh * method.u) if len(method._k_nh) else []
        moving = [self.in_rates(row) for row in rows]
        rates = [one.diff(dynamicsymbols._t) for one in held]
        free = [row for row in moving if not any(self.numbers.vanishes(row - one) or self.numbers.vanishes(row + one) for one in rates)]
        return labelled(held, "h") + labelled(free, "n")

    def system(self) -> System:
        energy = self.energy()
        forces = generalized(self.loads, self.q, self.frame, self.speeds)
        rows = self.constraints() + self.rolling
        follow = {rate(position): rate(position) - row for position, (_, row) in zip(self.extra, self.rolling)}
        observe = {str(u.func): value for u, value in self.speeds.items()}
        return System(energy, self.q + self.extra, rows, forces, observe, list(self.method.u), self.rates(), follow)

    def rates(self) -> dict[Any, Any]:
        return dict(self.method._qdot_u_map)


def from_kane(method: KanesMethod, bodies: Sequence[Any] | None, loads: Sequence[Any] | None) -> System:
    return Kane(method, bodies, loads).system()
