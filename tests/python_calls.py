#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls of the Python package: Ctrl-C, threads, memory, pickles, and the equations in the hands of SciPy.
tests/python_calls.py [--program PROGRAM]"""
import ctypes
import gc
import math
import multiprocessing
import os
import pickle
import signal
import threading
import warnings

from program import Tally, run_parts
from python_setup import missing, needs

needs("python_calls", "numpy")
import numpy  # noqa: E402

import actio  # noqa: E402
from actio._interrupt import watch  # noqa: E402

SMALL = "param k = 4\ncoord x\nlagrangian x'^2/2 - k*x^2/2\nstart x = 1\ntime 0 .. 1\n"
ENDLESS = {"time": (0, 1e9), "local": 1e-9}                 # Lorenz for hours
warnings.simplefilter("ignore", actio.ActioWarning)


def same(a, b):
    return numpy.array_equal(a.to_numpy(), b.to_numpy(), equal_nan=True)


# ---- Ctrl-C

def interrupted(action):
    """The exception of an action that SIGINT stops."""
    try:
        action()
    except KeyboardInterrupt as stopped:
        return stopped
    return None


def ctrl_c(tally):
    """A signal from another thread, once the library computes: the run ends, its rows are kept, and the next run is as before."""
    model = actio.load("lorenz")
    before = model.run()

    def send():
        while not watch.cancels:
            threading.Event().wait(.001)
        os.kill(os.getpid(), signal.SIGINT)
    for _ in range(3):
        sender = threading.Thread(target=send)
        sender.start()
        stopped = interrupted(lambda: model.run(**ENDLESS))
        sender.join()
        tally.check(isinstance(stopped, actio.Interrupted) and stopped.status == 130, "Ctrl-C gives %r" % stopped)
        tally.check(signal.getsignal(signal.SIGINT) is signal.default_int_handler and not watch.cancels and not watch.kept, "the handler is back")
        tally.check(same(model.run(), before), "the run after an interruption")


def rows_are_kept(tally):
    """The signal comes when a hundred rows are there; they are those of the whole run."""
    model, whole = actio.load("lorenz"), actio.load("lorenz").run(time=(0, 20), points=2001, local=1e-9)

    def at_half(_, done, of):
        if done > of / 2 and not watch.heard:
            os.kill(os.getpid(), signal.SIGINT)
    stopped = interrupted(lambda: model.run(time=(0, 20), points=2001, local=1e-9, progress=at_half))
    rows = stopped.result if isinstance(stopped, actio.Interrupted) else None
    if tally.check(rows is not None and 100 < len(rows) < 2001, "rows of an interrupted run: %r" % rows):
        tally.check(all(numpy.array_equal(rows[name], whole[name][:len(rows)]) for name in ("t", "x", "y", "z")), "rows are not those of the whole run")
        tally.check(not rows.success and rows.status == 130, "status of an interrupted run: %d" % rows.status)


def other_handlers(tally):
    """A handler of the caller is called after the run, which is not stopped; other threads do not touch signals."""
    seen = []
    signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    try:
        result = actio.load("lorenz").run(progress=lambda *_: seen or os.kill(os.getpid(), signal.SIGINT))
        tally.check(result.success and seen, "a run under a handler of the caller")
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    results = []
    thread = threading.Thread(target=lambda: results.append((actio.load("disk").run().success, len(watch.kept))))
    thread.start()
    thread.join()
    tally.check(results == [(True, 0)], "a run outside of the main thread: %s" % results)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        stopped = interrupted(lambda: actio.load("lorenz").run(**ENDLESS, progress=lambda *_: watch.heard or os.kill(os.getpid(), signal.SIGINT)))
        tally.check(stopped is not None and signal.SIGINT in os.read(reader, 16), "an event loop hears of the signal")
    finally:
        tally.check(signal.set_wakeup_fd(-1) == writer, "the wake-up descriptor is back")
        os.close(reader)
        os.close(writer)


def in_a_child(queue):
    queue.put(actio.load("disk").run().end["y"])


def forked(tally):
    """A child process computes, and can be interrupted, too."""
    end = actio.load("disk").run().end["y"]
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=in_a_child, args=(queue,))
    child.start()
    tally.check(queue.get() == end, "a run in a child")
    child.join()
    pid = os.fork()
    if pid == 0:
        def send():
            while not watch.cancels:
                threading.Event().wait(.001)
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=send).start()
        os._exit(7 if isinstance(interrupted(lambda: actio.load("lorenz").run(**ENDLESS)), actio.Interrupted) else 1)
    tally.check(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7, "Ctrl-C in a child")


# ---- threads

def threads(tally):
    """Several threads with a model each, and several with one model: everybody gets the numbers of a single thread."""
    names = ["disk", "lorenz", "bouncing-ball", "four-bar"]
    wanted = {name: actio.load(name).run() for name in names}
    shared, wrong = actio.load("disk"), []

    def work(name):
        own = actio.load(name)
        for _ in range(5):
            if not same(own.run(), wanted[name]) or not same(shared.run(), wanted["disk"]):
                wrong.append(name)
    workers = [threading.Thread(target=work, args=(name,)) for name in names * 2]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    tally.check(not wrong, "numbers of threads differ: %s" % wrong)


def lock_is_released(tally):
    """While one thread computes without end, this one goes on, and stops it."""
    model, caught = actio.load("lorenz"), []

    def work():
        try:
            model.run(time=(0, 1e9), local=1e-9, limit_memory="1G")
        except actio.Interrupted as stopped:
            caught.append(stopped)
    made, create = [], actio._model.Context

    class Noted(create):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            made.append(self)
    actio._model.Context = Noted
    try:
        thread = threading.Thread(target=work)
        thread.start()
        while not (made and made[-1].owner):
            threading.Event().wait(.001)
        while not caught and thread.is_alive():             # reading is a call of its own
            made[-1].cancel.value = 2
            thread.join(.01)
    finally:
        actio._model.Context = create
    tally.check(len(caught) == 1, "the endless run of another thread was stopped")


def dropped_while_computing(tally):
    """Results of a model that computes in another thread are forgotten here: their memory is given back later."""
    model = actio.load("lorenz")
    wanted = model.run()
    kept, stop = [model.run() for _ in range(200)], threading.Event()

    def work():
        while not stop.is_set():
            model.run()
    thread = threading.Thread(target=work)
    thread.start()
    while kept:
        kept.pop()
    stop.set()
    thread.join()
    tally.check(same(model.run(), wanted) and not model._handle.context.pending, "memory that others gave back")
    tally.check(model._handle.context.children == 1 and model._handle.children == 1, "owned: %d, %d" % (model._handle.context.children, model._handle.children))


# ---- memory

class Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]


def bytes_in_use():
    """What malloc has given out, to the byte; Python's own small objects are elsewhere."""
    gc.collect()
    info = ctypes.CDLL(None).mallinfo2
    info.restype = Mallinfo
    now = info()
    return now.uordblks + now.hblkhd


def ten_thousand(tally):
    """10^4 loads and runs. The smallest block of malloc has 32 bytes, so one that is lost in each turn shows: less than
    half of that a turn is allowed, for tables of Python that grow."""
    if not hasattr(ctypes.CDLL(None), "mallinfo2"):
        return print("  no mallinfo2: not checked")

    def turns(count):
        for _ in range(count):
            result = actio.model(SMALL).run(points=2, tol=1e-6)
            last = result["x"][-1]
        return last
    turns(1000)
    before = bytes_in_use()
    last = turns(9000)
    grown = bytes_in_use() - before
    tally.check(grown < 9000 * 16, "9000 loads and runs take %d bytes" % grown)
    tally.check(abs(last - numpy.cos(2)) < 1e-5, "x(1) = %s" % last)
    model = actio.model(SMALL)
    calls = (lambda: model.run(set={"k": 2}, points=2), model.check, model.derive, lambda: model.run(limit_memory="1G"), lambda: refused(model),
             lambda: model.rhs(0, [0, 1]), lambda: model.action(grid=9).guess(), model.test, lambda: model.compare(by=["dalembert", "gauss"]),
             lambda: pickle.loads(pickle.dumps(model)), lambda: model.params.__setitem__("k", 4))
    for number, action in enumerate(calls):
        for _ in range(20):
            action()
        grown = min(growth(action) for _ in range(3))       # tables of Python grow now and then; what leaks grows always
        tally.check(grown < 100 * 16, "100 calls of number %d take %d bytes" % (number, grown))
    return None


def growth(action):
    """Bytes that a hundred calls keep."""
    before = bytes_in_use()
    for _ in range(100):
        action()
    return bytes_in_use() - before


def refused(model):
    try:
        model.run(set={"nonesuch": 2})
    except actio.Error:
        pass


# ---- pickles

def pickles(tally):
    model = actio.load("disk").changed(set={"R": 2}, start={"theta'": 2.5}, time=(0, 1))
    again = pickle.loads(pickle.dumps(model))
    result = model.run(by="skg", gradient=["x"])
    stored = pickle.loads(pickle.dumps(result))
    tally.check(same(again.run(by="skg", gradient=["x"]), result) and repr(again) == repr(model), "a model: %r" % again)
    tally.check(same(stored, result) and repr(stored) == repr(result) and stored.error["x"] == result.error["x"], "a result: %r" % stored)
    tally.check(stored["x'"] is stored["x_dot"] and stored.gradient == result.gradient and stored.json == result.json, "its parts")
    tally.check(stored.y.shape == result.y.shape and stored.end["x"] == result.end["x"] and not stored["x"].flags.writeable, "its columns")
    try:
        stored.write("x.csv")
        tally.check(False, "an unpickled result can be written")
    except actio.UsageError as error:
        tally.check("run the model again" in str(error), str(error))
    tally.check(same(pickle.loads(pickle.dumps(stored)), result), "twice")
    event = pickle.loads(pickle.dumps(actio.load("bouncing-ball").run()))
    tally.check(event.events and event.events == actio.load("bouncing-ball").run().events and event.t_events, "events")
    try:
        actio.load("slowing-down").run()
    except actio.NumericsError as error:
        other = pickle.loads(pickle.dumps(error))
        tally.check(str(other) == str(error) and type(other) is type(error) and same(other.result, error.result), "an error")


# ---- the equations in other hands

def right_hand_sides(tally):
    """SciPy integrates m.rhs and finds the motion; the Jacobian agrees with differences; a projection satisfies the constraints."""
    if missing("scipy"):
        return
    from scipy.integrate import solve_ivp
    for name, span in (("disk", (0, 2)), ("lorenz", (0, 2)), ("pendulum-cartesian", (0, 2)), ("euler-top", (0, 2))):
        model = actio.load(name, time=span)
        f = model.rhs
        motion = model.run(tol=1e-11)
        solved = solve_ivp(f, span, f.y0, method="DOP853", rtol=1e-12, atol=1e-12)
        wanted = numpy.array([motion.end[column] for column in f.names])
        tally.check(numpy.allclose(solved.y[:, -1], wanted, rtol=1e-8, atol=1e-8), "%s by SciPy: %s, %s" % (name, solved.y[:, -1], wanted))
        y, v = solved.y[:, -1], numpy.arange(1.0, f.size + 1)
        h = 1e-6
        difference = (f(0, y + h * v) - f(0, y - h * v)) / (2 * h)
        tally.check(numpy.allclose(f.jvp(0, y, v), difference, atol=1e-6 * max(1, abs(difference).max()) * f.size), "%s: jvp" % name)
        tally.check(numpy.allclose(f.jacobian(0, y) @ v, f.jvp(0, y, v), rtol=1e-10, atol=1e-10) and f.jac(0, y).shape == (f.size, f.size), "%s: Jacobian" % name)
        for key, value in f.multipliers(f.t0, f.y0).items():
            tally.check(abs(value - motion[key][0]) < 1e-9 * max(1, abs(value)), "%s: %s" % (name, key))
    pendulum = actio.load("pendulum-cartesian")
    f = pendulum.rhs
    x, y, u, w = f.project(0, numpy.array(f.y0) + [.1, .1, .1, .1])
    tally.check(abs(x * x + y * y - pendulum.params["l"]**2) < 1e-12 and abs(x * u + y * w) < 1e-12, "projection")
    before = f(0, f.y0).copy()
    pendulum.params["g"] = 1
    tally.check(not numpy.array_equal(pendulum.rhs(0, f.y0), before) and numpy.array_equal(f(0, f.y0), before), "a flow keeps its params; rhs follows")
    for action in (lambda: f(0, [1]), lambda: f.jvp(0, f.y0, [1]), lambda: pendulum.flow(by="nonesuch"), lambda: pendulum.flow(by="skg"), lambda: pendulum.flow(by=3)):
        try:
            action()
            tally.check(False, "a wrong use of a flow")
        except actio.UsageError:
            tally.check(True, "")
    tally.check(pendulum.flow(set={"g": 3}).y0.shape == (4,) and "x" in repr(f), "a flow with other values")


def step_by_step(tally):
    """Stops on the way do not change a motion beyond its tolerance; what was saved goes on bit for bit, in another model, too."""
    for name, end in (("disk", 2.0), ("bouncing-ball", 2.0), ("lorenz", 1.0), ("vibrating-string", .3)):
        model = actio.load(name)
        motion, steps = model.run(time=(0, end), local=1e-11), model.integrator(local=1e-11, time=(0, end))
        tally.check(numpy.allclose(steps.y, motion.y[:, 0]) and steps.t == 0 and len(steps.names) == steps.size, "%s: start" % name)
        for t in numpy.linspace(0, end, 8)[1:5]:
            steps.to(t)
        saved = steps.save()
        last = steps.to(end)
        wanted = motion.y[:, -1]
        tally.check(numpy.allclose(last, wanted, rtol=1e-7, atol=1e-7), "%s: %s, in one run %s" % (name, last[:6], wanted[:6]))
        again = pickle.loads(pickle.dumps(model)).integrator(local=1e-11, time=(0, end))
        again.restore(saved)
        tally.check(numpy.array_equal(again.to(end), last) and again.t == end, "%s: saved and restored" % name)
    ball = actio.load("bouncing-ball").integrator()
    ball.to(2)
    impacts = [event for event in actio.load("bouncing-ball").run(time=(0, 2)).events if event.kind == "impact"]
    mine = [event for event in ball.events if event.kind == "impact"]
    tally.check(impacts and len(mine) == len(impacts) and all(abs(a.t - b.t) < 1e-7 for a, b in zip(mine, impacts)), "impacts: %s" % mine)
    disk = actio.load("disk").integrator()
    disk.set_state(1, disk.y)
    tally.check(disk.t == 1 and disk["x'"] == 5 and disk["phi_dot"] == 1, "another time")
    for action in (lambda: disk.set_state(0, [1]), lambda: disk.set_state(0, numpy.ones(8)), lambda: disk.restore(b"x"), lambda: disk.restore(3),
                   lambda: actio.load("disk").integrator(by="dual"), lambda: actio.load("disk").integrator(tool=3)):
        try:
            action()
            tally.check(False, "a wrong use of an integrator")
        except actio.Error:
            tally.check(True, "")


def pull(t, y):
    return -4 * y[0] + numpy.sin(t)


def pull_slopes(t, _):
    return numpy.cos(t), [-4, 0]


def forces_from_python(tally):
    """A spring and a drive by Python give the motion of the formula; exceptions come through; changes and copies keep the function."""
    text = "coord x\nlagrangian x'^2/2\nforce x = %s\nstart x = 1\ntime 0 .. 2\n"
    formula, model = actio.model(text % "-4*x + sin(t)").run(tol=1e-11), actio.model(text % 'external("pull")')
    tally.check(model.externals == {"pull": False}, "externals: %s" % model.externals)
    try:
        model.run()
        tally.check(False, "a run without the function")
    except actio.ModelError as error:
        tally.check("pull" in str(error), str(error))
    model.bind("pull", pull)
    tally.check(abs(model.run(local=1e-11).end["x"] - formula.end["x"]) < 1e-9 and model.externals == {"pull": True}, "without derivatives")
    model.bind("pull", pull, pull_slopes)
    for other in (model, model.copy(), pickle.loads(pickle.dumps(model)), model.changed(time=(0, 2))):
        result = other.run(tol=1e-10)
        tally.check(abs(result.end["x"] - formula.end["x"]) < 1e-8, "with derivatives: %s, %s" % (result.end["x"], formula.end["x"]))
    tally.check(numpy.allclose(model.rhs.jacobian(.3, [1, 2]), [[0, 1], [-4, 0]]) and numpy.allclose(model.rhs(.3, [1, 2]), [2, pull(.3, [1])]), "rhs")
    tally.check(abs(model.run(start={"x": 2}, tol=1e-10).end["x"] - actio.model(text % "-4*x + sin(t)").run(start={"x": 2}).end["x"]) < 1e-7, "another start")

    def fails(t, y):
        raise RuntimeError("no motor")
    model.bind("pull", fails)
    for action in (lambda: model.run(local=1e-9), lambda: model.rhs(0, [1, 2])):
        try:
            action()
            tally.check(False, "an exception is lost")
        except (RuntimeError, actio.NumericsError) as error:
            tally.check(str(error.__cause__ or error) == "no motor", str(error))

    def fails_later(t, y):
        if t > 1.005:
            raise RuntimeError("no motor any more")
        return pull(t, y)
    model.bind("pull", fails_later)
    for check in (True, False):
        try:
            model.run(local=1e-9, check=check)
            tally.check(False, "a late exception is lost")
        except actio.NumericsError as error:
            kept = error.result
            off = abs(kept["x"] - formula["x"][:len(kept.t)]).max()
            tally.check(str(error.__cause__) == "no motor any more" and .9 < kept.t[-1] <= 1 and off < 1e-7, "rows before an exception: %s, %s" % (kept.t[-1], off))
    model.bind("pull", pull, lambda t, y: (math.cos(t), [-4.1, 0]))
    try:
        model.run()
        tally.check(False, "wrong slopes")
    except actio.Error as error:
        tally.check("EXTERNAL_SLOPES" in [f.code for f in error.findings], "wrong slopes: %s" % error)
    model.bind("pull", lambda t, y: model.run(local=1e-3).end["x"])
    for action in (lambda: model.run(local=1e-9), lambda: model.rhs(0, [1, 2]), lambda: model.bind("nonesuch", pull), lambda: model.bind("pull", 3)):
        try:
            action()
            tally.check(False, "a wrong force")
        except actio.Error:
            tally.check(True, "")


PARTS = [ctrl_c, rows_are_kept, other_handlers, forked, threads, lock_is_released, dropped_while_computing, ten_thousand, pickles, right_hand_sides,
         step_by_step, forces_from_python]

if __name__ == "__main__":
    TALLY = Tally("python_calls")
    run_parts(PARTS, TALLY)
    TALLY.done()
