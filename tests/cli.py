#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line from outside: every exit status provoked, hostile names, files whole or absent. tests/cli.py [BUILD]"""
import csv
import io
import json
import os
import pty
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

from program import begin, chosen, ended, wait_until

BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build")
ACTIO = os.path.join(BUILD, "actio")
OSCILLATOR = """# A mass on a spring
model spring
param m = 2, k = 8
coord x
lagrangian m/2*x'^2 - k/2*x^2
start x = 1
time 0 .. 1
expect x at 1 = cos(2) within 1e-9
expect drift(energy) < 1e-9
"""
ENDLESS = OSCILLATOR.replace("time 0 .. 1", "time 0 .. 1e7")
BLOW_UP = "state x\nflow x' = x^2\nstart x = 1\ntime 0 .. 2\n"


def actio(*words, stdin=subprocess.DEVNULL, env=None, **more):
    done = subprocess.run([ACTIO, *words], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, **(env or {})}, **more)
    done.out, done.err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    return done


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return name


def on_terminal(*words, env=None, interrupt_at=None):
    """Runs with a pseudo-terminal for everything, with Ctrl-C as soon as it shows this; (exit status, what it showed)."""
    try:
        pid, fd = pty.fork()
    except OSError as trouble:                             # a chroot without /dev/pts: nothing to look at
        raise NoTerminal(str(trouble))
    if pid == 0:
        os.environ.update({"TERM": "xterm", **(env or {})})
        try:
            os.execv(ACTIO, [ACTIO, *words])
        finally:
            os._exit(127)
    shown, interrupted = b"", False
    while True:
        if interrupt_at is not None and not interrupted and interrupt_at in shown:
            os.kill(pid, signal.SIGINT)
            interrupted = True
        try:
            piece = os.read(fd, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    _, status = os.waitpid(pid, 0)
    os.close(fd)
    return os.waitstatus_to_exitcode(status), shown.decode(errors="replace")


def complains(done, status, *words):
    """Exit status, one error in our form, nothing on standard output."""
    assert done.returncode == status, (done.returncode, done.err)
    assert "error: " in done.err and done.stdout == b"", done.err
    for word in words:
        assert word in done.err, (word, done.err)


# ---- exit statuses

def a_good_run_exits_0():
    assert actio("run", write("a.act", OSCILLATOR)).returncode == 0


def a_wrong_model_exits_1_with_place_quote_and_caret():
    write("a.act", OSCILLATOR.replace("k/2*x^2", "kk/2*x^2"))
    done = actio("run", "a.act")
    complains(done, 1, "a.act:5:23: error: ", "\n  lagrangian m/2*x'^2 - kk/2*x^2\n", "\n" + " " * 24 + "^~\n", "hint: ")


def a_failed_claim_exits_1():
    done = actio("test", write("a.act", OSCILLATOR.replace("cos(2)", "cos(2.1)")))
    assert done.returncode == 1 and "FAILED" in done.out and "1 passed, 1 failed" in done.out, done.out


def wrong_command_lines_exit_2_and_say_why():
    write("a.act", OSCILLATOR)
    for words, said in [
            ([], "run, test, compare, orbit, list or new"), (["chek"], "did you mean `check`?"), (["run"], "takes one model"), (["run", "a.act", "a.act"], "takes one model"),
            (["test"], "needs a model"), (["list", "disk"], "takes no model"), (["run", "a.act", "--tole", "1"], "did you mean '--tol'?"),
            (["run", "a.act", "--frobnicate"], "unknown option"), (["run", "a.act", "-x"], "unknown option"), (["run", "a.act", "--tol"], "needs a value"),
            (["run", "a.act", "--json=yes"], "takes no value"), (["list", "--tol", "1e-3"], "does not belong to `list`"),
            (["run", "a.act", "--axes", "x,y"], "--plot"), (["run", "a.act", "-o", "a.foo"], ".csv"), (["run", "a.act", "--plot", "a.csv"], ".svg"), (["run", "a.act", "--animate", "a.png"], ".svg"),
            (["run", "a.act", "-o", ""], "-o"), (["run", "a.act", "--help=xml"], "xml"), (["run", "a.act", "--set", "kk=1"], "kk"),
            (["run", "a.act", "--set", "k=9,81"], ""), (["run", "a.act", "--set", "k"], "NAME=EXPR"), (["run", "a.act", "--start", "y=1"], "y"),
            (["run", "a.act", "--time", "1"], "A..B"), (["run", "a.act", "--set", "k=(1"], "")]:
        complains(actio(*words), 2, said)


def values_outside_their_range_exit_2():
    write("a.act", OSCILLATOR)
    for option, values in {"tol": "0 -1 2 nan inf 1e-9x x 0x1 1,5", "local": "0 -1 nan abc", "points": "1 0 -5 2.5 nan inf x 1e",
                           "limit-memory": "0 -1G 2X G nan 1GB", "limit-time": "0 -1 x nan"}.items():
        for value in values.split() + [""]:
            complains(actio("run", "a.act", f"--{option}={value}"), 2, f"--{option}: ")
            complains(actio("run", "a.act", f"--{option}", value), 2, f"--{option}: ")


def commands_and_options_of_later_versions_are_refused_by_name():
    write("a.act", OSCILLATOR)
    for command in "sweep report studio".split():
        complains(actio(command, "a.act"), 2, f"`{command}`", "this version")
    for option in "threads seed".split():
        complains(actio("run", "a.act", f"--{option}", "4"), 2, f"--{option} belongs to", "this version")
    complains(actio("run", "a.act", "--by", "dalambert"), 2, "did you mean 'dalembert'?")


def a_motion_that_blows_up_exits_3_and_keeps_what_was_computed():
    done = actio("run", write("a.act", BLOW_UP), "-o", "a.csv")
    assert done.returncode == 3 and "error: " in done.err, (done.returncode, done.err)
    rows = list(csv.DictReader(open("a.csv", encoding="utf-8")))
    assert rows and all(abs(float(r["x"]) * (1 - float(r["t"])) - 1) < 1e-6 for r in rows[:50])


def limits_exit_4():
    complains(actio("run", write("a.act", OSCILLATOR), "--points", "1e18"), 4)
    complains(actio("run", "a.act", "--points", "1e300"), 4)
    complains(actio("run", "a.act", "--limit-memory", "1K"), 4, "--limit-memory")
    done = actio("run", write("b.act", ENDLESS), "--local", "1e-6", "--limit-time", "0.5")
    assert done.returncode == 4 and "--limit-time" in done.err, done.err


def files_that_cant_be_read_exit_5_at_once():
    os.mkdir("folder.act")
    os.mkfifo("pipe.act")
    os.symlink("nowhere", "dangling.act")
    for name in ["missing.act", "folder.act", "pipe.act", "dangling.act", "./no/such.act", "/dev/zero", "/dev/tty", "nosuchmodel", "", "x" * 5000 + ".act"]:
        complains(actio("run", name), 5, "can't read")
    if os.getuid() != 0:
        write("secret.act", OSCILLATOR)
        os.chmod("secret.act", 0)
        complains(actio("run", "secret.act"), 5)
    complains(actio("run", "dsik"), 5, "disk")


def files_that_cant_be_written_exit_5():
    write("a.act", OSCILLATOR)
    os.mkdir("taken.csv")
    for path in ["no/such/folder/a.csv", "taken.csv", "/proc/a.csv"]:
        done = actio("run", "a.act", "-o", path)
        assert done.returncode == 5 and "can't write" in done.err, (path, done.err)


def a_file_that_is_read_is_not_written():
    """By what the file is, whatever it is called: nothing is computed and nothing changes."""
    write("M.act", OSCILLATOR)
    os.symlink("M.act", "link.act")
    os.symlink("link.act", "far.csv")
    os.link("M.act", "hard.csv")
    shutil.copy("M.act", "ok.csv")
    os.mkdir("sub")
    for words in ["derive M.act -o M.act", "derive M.act -o ./M.act", "derive M.act -o sub/../M.act", "derive M.act -o link.act", "derive link.act -o M.act",
                  "derive M.act -o hard.csv", "run M.act -o far.csv", "run ./ok.csv -o ok.csv", "run ok.csv -o other.csv -o ./ok.csv",
                  "compare ok.csv -o ok.csv", "orbit ok.csv -o ok.csv --period 1", "derive M.act -o M.act --json"]:
        done = actio(*words.split())
        assert done.returncode == 2 and "would overwrite the input" in done.err + done.out, (words, done.returncode, done.err)
        assert open("M.act", encoding="utf-8").read() == open("ok.csv", encoding="utf-8").read() == OSCILLATOR, words
        assert sorted(os.listdir(".")) == ["M.act", "far.csv", "hard.csv", "link.act", "ok.csv", "sub"], words
    for words in ["check M.act", "derive link.act --json", "run M.act"]:
        with open("M.act", "a", encoding="utf-8") as grows:
            done = subprocess.run([ACTIO, *words.split()], stdout=grows, stderr=subprocess.PIPE)
        assert done.returncode == 2 and b"would overwrite the input" in done.stderr and open("M.act", encoding="utf-8").read() == OSCILLATOR, words
    assert actio("derive", "M.act", "-o", "M.txt").returncode == 0 and os.path.getsize("M.txt") > 0


def tables_and_pictures_that_are_read_are_not_written():
    write("M.act", OSCILLATOR)
    assert actio("run", "M.act", "-o", "base.csv").returncode == 0
    for name in ["picture.svg", "moving.svg", "over.svg"]:
        write(name, OSCILLATOR)
    before = open("base.csv", encoding="utf-8").read()
    for words in ["run M.act --by dual --base base.csv -o base.csv", "orbit M.act --guess base.csv -o ./base.csv", "run ./picture.svg --plot picture.svg",
                  "run ./moving.svg --animate moving.svg", "compare ./over.svg --overlay over.svg", "orbit ./picture.svg --plot picture.svg"]:
        complains(actio(*words.split()), 2, "would overwrite the input")
    assert open("base.csv", encoding="utf-8").read() == before
    assert all(open(name, encoding="utf-8").read() == OSCILLATOR for name in ["picture.svg", "moving.svg", "over.svg"])


def a_file_is_not_written_twice():
    write("M.act", OSCILLATOR)
    write("there.csv", "")
    os.symlink("there.csv", "link.csv")
    os.symlink("new.csv", "dangling.csv")
    os.mkdir("sub")
    before = sorted(os.listdir("."))
    for words in ["-o new.csv -o new.csv", "-o new.csv -o ./new.csv", "-o there.csv -o link.csv", "-o dangling.csv -o sub/../new.csv",
                  "--plot a.svg --plot ./a.svg", "--plot a.svg --animate a.svg"]:
        complains(actio("run", "M.act", *words.split()), 2, "same file")
        assert sorted(os.listdir(".")) == before, words
    for words in ["-o new.csv -o new.json", "-o a.csv -o sub/a.csv", "-o - -o b.csv"]:
        assert actio("run", "M.act", *words.split()).returncode == 0, words


def a_full_disk_exits_5():
    write("a.act", OSCILLATOR)
    for words in [["run", "a.act"], ["run", "a.act", "-o", "-"], ["run", "a.act", "--json"], ["test", "a.act"], ["list"], ["--help"], ["run", "a.act", "-o", "a.csv"]]:
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([ACTIO, *words], stdout=full, stderr=subprocess.PIPE)
        assert done.returncode == 5 and b"No space left" in done.stderr, (words, done.returncode, done.stderr)


def a_closed_standard_output_exits_5_and_spoils_no_file():
    write("a.act", OSCILLATOR)
    for words in ["run a.act", "run a.act --json", "run a.act -o a.csv"]:
        done = subprocess.run(["sh", "-c", f"{ACTIO} {words} >&-"], stderr=subprocess.PIPE)
        assert done.returncode == 5, (words, done.returncode, done.stderr)
    rows = open("a.csv", encoding="utf-8").read()
    assert rows.startswith("t,x") and "summary" not in rows and "energy drift" not in rows


def memory_that_is_out_in_a_library_is_out_of_memory():
    """Pictures are drawn by cairo and libpng, whose memory the program does not count. The limits go from too little to start with to enough."""
    write("a.act", OSCILLATOR)
    limited = lambda size, *words: actio(*words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))
    if limited(1 << 30, "--version").returncode:           # a sanitizer needs more room than that
        return
    for name in filter(lambda name: actio("run", "a.act", "--plot", name, "-o", "a.csv").returncode == 0, ["a.png", "a.pdf"]):
        drawn, size = False, 32 << 20
        while not drawn:
            for left in filter(os.path.exists, ["a.csv", name]):
                os.remove(left)
            done = limited(size, "run", "a.act", "--no-compile", "--plot", name, "-o", "a.csv")
            drawn, size = os.path.exists(name), size + (1 << 20)
            started = os.path.exists("a.csv") or done.err.startswith("actio: error")   # else the loader had too little
            assert not started or done.returncode == (0 if drawn else 4), (name, size, done.returncode, done.err)
            assert not started or drawn or "out of memory" in done.err, (name, size, done.err)


def a_file_is_not_a_directory():
    write("a.act", OSCILLATOR)
    write("b.act", OSCILLATOR)
    for words in ["derive a.act -o b.act/", "derive a.act -o b.act/x.txt", "run a.act -o b.act/x.csv", "compare a.act -o b.act/", "orbit a.act -o b.act/x.csv"]:
        done = actio(*words.split())
        assert done.returncode == 5 and "Not a directory" in done.err, (words, done.returncode, done.err)
    assert open("b.act", encoding="utf-8").read() == OSCILLATOR


def of_several_causes_the_smallest_counts():
    write("good.act", OSCILLATOR)
    write("wrong.act", OSCILLATOR.replace("cos(2)", "0"))
    assert actio("test", "missing.act", "good.act", "wrong.act").returncode == 1
    assert actio("test", "missing.act", "good.act").returncode == 5


# ---- signals

def ended_by(number, *words, busy=1, **more):
    """A run that got this signal after a second of work: exit status and what it said."""
    process = begin(ACTIO, *words, busy=busy, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    process.send_signal(number)
    out, err = process.communicate()
    return process.returncode, out.decode(), err.decode()


SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 130}


def a_run_that_a_signal_ends_keeps_its_rows():
    write("a.act", ENDLESS)
    for number, wanted in SIGNALS.items():
        status, out, err = ended_by(number, "run", "a.act", "--local", "1e-6", "-o", "a.csv")
        assert status == wanted and "interrupted" in err, (number, status, err)
        rows = list(csv.reader(open("a.csv", encoding="utf-8")))
        assert len(rows) > 1 and all(len(r) == len(rows[0]) for r in rows) and float(rows[-1][0]) > 0, rows[-1]
        assert sorted(os.listdir(".")) == ["a.act", "a.csv"], os.listdir(".")
        os.remove("a.csv")


def every_command_ends_on_a_signal():
    write("a.act", ENDLESS)
    for words in ["run a.act --local 1e-6 --json", "compare a.act --json", "orbit lorenz --find 100000 --json"]:
        for number, wanted in SIGNALS.items():
            status, out, _ = ended_by(number, *words.split())
            assert status == wanted and json.loads(out)["status"] == wanted, (words, number, status, out[:300])


def left_waiting(number, *words):
    """Exit status, and what came, of a program whose reader takes one byte, then nothing: more than a pipe holds is to be written when the signal comes."""
    process = subprocess.Popen([ACTIO, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    first = process.stdout.read(1)
    process.send_signal(number)
    process.wait()
    return process.returncode, (first + process.stdout.read()).decode(), process.stderr.read().decode()


def rows_on_standard_output_end_whole_when_a_signal_comes():
    write("a.act", OSCILLATOR)
    for number, wanted in SIGNALS.items():
        status, out, err = left_waiting(number, "run", "a.act", "--points", "100000", "-o", "-")
        assert status == wanted and "interrupted" in err, (number, status, err)
        rows = out.split("\n")
        assert rows[-1] == "" and all(row.count(",") == rows[0].count(",") for row in rows[:-1]), rows[-2:]


def words_on_standard_output_that_a_signal_cuts_are_interrupted():
    write("a.act", "coord x\nlagrangian x'^2/2 - x^2/2" + "".join(f" + sin({k}*x)" for k in range(20000)) + "\n")
    assert left_waiting(signal.SIGTERM, "derive", "a.act")[0] == 143


def nohup_keeps_its_meaning():
    write("a.act", ENDLESS)
    process = begin(ACTIO, "run", "a.act", "--local", "1e-6", "-o", "a.csv", busy=.3, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                    preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 143


CHAIN = """param n = 20
coord a[1 .. n]
let px[i = 1 .. n] = sum(k = 1 .. i, sin(a[k]))
let py[i = 1 .. n] = -sum(k = 1 .. i, cos(a[k]))
lagrangian sum(i = 1 .. n, (px[i]'^2 + py[i]'^2)/2 - 9.81*py[i])
start a[k = 1 .. n] = .3/k
time 0 .. 1e6
"""


def work_folders(cache):
    folder = os.path.join(cache, "actio")
    return [name for name in os.listdir(folder) if name.startswith("work-")] if os.path.isdir(folder) else []


def at_work_in(folder):
    """Processes that work in this folder."""
    places = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            places.append(os.readlink(f"/proc/{pid}/cwd"))
        except OSError:
            pass
    return [place for place in places if place.startswith(folder)]


def a_signal_ends_the_compiler_too():
    """Sent while it compiles: nothing of it is left, neither files nor processes."""
    write("a.act", CHAIN)
    cache = os.path.join(os.getcwd(), "cache")
    os.mkdir(cache, 0o700)
    for number, wanted in SIGNALS.items():
        process = begin(ACTIO, "run", "a.act", "--local", "1e-9", "--points", "3", "-o", "a.csv", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                        env={**os.environ, "XDG_CACHE_HOME": cache})
        assert wait_until(process, lambda: work_folders(cache)) or process.returncode is None, process.communicate()
        process.send_signal(number)
        process.communicate()
        assert process.returncode == wanted, process.returncode
        left = [name for name in os.listdir(os.path.join(cache, "actio")) if not name.endswith((".c", ".so"))]
        assert left == [] and at_work_in(cache) == [], (left, at_work_in(cache))
        shutil.rmtree(os.path.join(cache, "actio"))


def a_killed_program_leaves_no_half_file():
    """Killed while it writes. Where a file system has no files without names, the temporary stays, and this says nothing."""
    write("a.act", OSCILLATOR)
    try:
        os.close(os.open(".", os.O_TMPFILE | os.O_RDWR))
    except OSError:
        return

    def writes():
        try:
            targets = [os.readlink(f"/proc/{process.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{process.pid}/fd")]
        except OSError:
            return False
        return any(target.startswith(os.getcwd()) for target in targets)
    process = begin(ACTIO, "run", "a.act", "--points", "1000001", "-o", "a.csv", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(process, writes)
    process.kill()
    process.wait()
    assert set(os.listdir(".")) <= {"a.act", "a.csv"}, os.listdir(".")


def a_closed_pipe_is_no_error():
    write("a.act", OSCILLATOR)
    done = subprocess.run(["sh", "-c", f"{ACTIO} run a.act --points 100001 | head -1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.stdout.startswith(b"t,x,") and done.stderr == b"", done.stderr


# ---- output

def a_pipe_gets_csv_and_so_does_minus():
    write("a.act", OSCILLATOR)
    plain, minus = actio("run", "a.act"), actio("run", "a.act", "-o", "-")
    assert plain.stdout == minus.stdout and plain.err == ""
    actio("run", "a.act", "-o", "a.csv")
    assert open("a.csv", "rb").read() == plain.stdout
    rows = list(csv.DictReader(io.StringIO(plain.out)))
    assert len(rows) == 201 and list(rows[0])[:3] == ["t", "x", "x_dot"] and "#" not in plain.out
    assert float(rows[0]["t"]) == 0 and float(rows[-1]["t"]) == 1


def a_file_gets_the_motion_and_standard_output_the_summary():
    done = actio("run", write("a.act", OSCILLATOR), "-o", "a.csv", "-o", "a.json", "-o", "a.npz", "--plot", "a.svg", "--axes", "x")
    assert done.returncode == 0 and "spring" in done.out and "energy drift" in done.out and "t,x" not in done.out, done.out
    assert json.load(open("a.json", encoding="utf-8"))["by"] == "dalembert"
    assert open("a.svg", encoding="utf-8").read().rstrip().endswith("</svg>")
    assert sorted(os.listdir(".")) == ["a.act", "a.csv", "a.json", "a.npz", "a.svg"]


def a_terminal_gets_a_coloured_summary():
    write("a.act", OSCILLATOR)
    status, shown = on_terminal("run", "a.act")
    assert status == 0 and "\033[1m" in shown and "at the end" in shown and "t,x" not in shown, shown
    for words, env in [(["--no-color"], {}), ([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"})]:
        status, shown = on_terminal("run", "a.act", *words, env=env)
        assert status == 0 and "\033" not in shown and "at the end" in shown, shown


def the_summary_shows_only_digits_that_the_error_supports():
    done = actio("run", write("a.act", OSCILLATOR), "--tol", "1e-4", "-o", "a.csv")
    line = next(text for text in done.out.splitlines() if text.startswith("  x "))
    value, error = line.split()[1:3]
    assert abs(float(value) - -0.4161468365) <= max(float(error), 1e-12) * 10 and len(value) < 22, line


def a_long_run_shows_progress_on_a_terminal_only():
    write("a.act", ENDLESS)
    status, shown = on_terminal("run", "a.act", "--local", "1e-6", interrupt_at=b"%")
    assert status == 130 and "%" in shown and "[" in shown, shown
    status, shown = on_terminal("run", "a.act", "--local", "1e-6", "--quiet", "--limit-time", "2")
    assert status == 4 and "%" not in shown, shown


def quiet_keeps_data_and_errors():
    write("a.act", OSCILLATOR)
    assert actio("run", "a.act", "--quiet", "-o", "a.csv").out == "" and os.path.exists("a.csv")
    assert actio("run", "a.act", "--quiet").out.startswith("t,x")
    assert "error: " in actio("run", "b.act", "--quiet").err


def value_and_equals_sign_mean_the_same():
    write("a.act", OSCILLATOR)
    one = actio("run", "a.act", "--points", "5", "--set", "k=2", "--start", "x'=1,x=0", "--time", "0..2")
    two = actio("run", "--points=5", "--set=k=2", "--start=x_dot=1", "--start=x=0", "--time=0..2", "--", "a.act")
    assert one.returncode == 0 and one.stdout == two.stdout and len(one.out.splitlines()) == 6, one.err + two.err
    last = one.out.splitlines()[-1].split(",")
    assert abs(float(last[1]) - 0.9092974268256817) < 1e-8          # sin(t) at 2


def an_output_file_is_whole_or_absent():
    write("a.csv", "precious")
    actio("run", write("wrong.act", OSCILLATOR.replace("k/2", "kk/2")), "-o", "a.csv")
    assert open("a.csv", encoding="utf-8").read() == "precious"
    actio("run", write("a.act", OSCILLATOR), "-o", "a.csv")
    assert open("a.csv", encoding="utf-8").read().startswith("t,x")
    assert sorted(os.listdir(".")) == ["a.act", "a.csv", "wrong.act"]


# ---- JSON

def json_of_a_run_has_the_keys_that_scripts_rely_on():
    done = actio("run", write("a.act", OSCILLATOR), "--json")
    result = json.loads(done.out)
    for key in "by status t end error energy_drift residual events steps seconds".split():
        assert key in result, key
    assert result["by"] == "dalembert" and result["status"] == 0 and result["t"] == 1
    assert abs(result["end"]["x"] - -0.4161468365471424) < 1e-9 and result["error"]["x"] < 1e-8
    assert done.err == "" and done.out.count("\n") == 1


def json_of_test_is_one_object_a_line():
    write("a.act", OSCILLATOR)
    done = actio("test", "--json", "a.act", "missing.act", "a.act")
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert [o["model"] for o in lines] == ["a.act", "missing.act", "a.act"] and done.err == ""
    claim = lines[0]["claims"][0]
    assert claim["ok"] is True and claim["line"] == 8 and claim["claim"].startswith("x at 1") and abs(claim["value"] + 0.41614683654) < 1e-9
    assert lines[1]["status"] == 5 and lines[1]["errors"]


def json_errors_have_file_line_column_message_hint():
    write("a.act", OSCILLATOR.replace("k/2", "kk/2").replace("start x", "start y"))
    done = actio("run", "a.act", "--json")
    result = json.loads(done.out)
    assert done.returncode == result["status"] == 1 and len(result["errors"]) == 2
    for error in result["errors"]:
        assert {"file", "line", "column", "message", "hint"} <= set(error) and error["file"] == "a.act"
    for words in [["run", "--json", "--nonsense"], ["run", "--json", "missing.act"], ["nonsense", "--json"], ["run", "a.act", "--tol", "x", "--json"]]:
        done = actio(*words)
        assert json.loads(done.out)["status"] == done.returncode != 0 and done.err == "", words


def json_survives_hostile_texts():
    write("a.act", "# \"quoted\" \\ \u2028 \u0001 <b>\n" + OSCILLATOR.replace("k/2", "\u0001"))
    json.loads(actio("run", "a.act", "--json").out)
    done = actio("run", "--json", b"\xff\xfe\"\\\n.act")
    assert json.loads(done.out)["status"] == 5


def list_names_the_gallery():
    models = json.loads(actio("list", "--json").out)["models"]
    lines = actio("list").out.splitlines()
    assert len(models) == len(lines) > 0 and all(line.startswith(m["model"]) and m["title"] for m, line in zip(models, lines))
    assert "disk" in [m["model"] for m in models]


# ---- help

def help_fits_80_columns_and_names_every_option():
    for words in [["--help"], ["run", "--help"], ["test", "--help"], ["list", "--help"], ["new", "--help"]]:
        done = actio(*words)
        assert done.returncode == 0 and done.err == "" and all(len(line) <= 80 for line in done.out.splitlines()), words
    text = actio("run", "--help").out
    for option in "--by --set --start --time --points --tol --local -o --plot --axes --json --project --no-compile --limit-memory --limit-time " \
                  "--quiet --no-color --help --version --method".split():
        assert f"  {option}" in text, option


def the_manual_pages_have_no_warnings():
    commands = [row["name"] for row in json.loads(actio("--help=json").out)["commands"]]
    pages = {"actio": ["--help=man"], "actio-model": ["--help=model"], **{"actio-" + name: [name, "--help=man"] for name in commands}}
    for name, words in pages.items():
        page, title = actio(*words).stdout, name.upper().encode()
        assert page.startswith(b".\\\"") and b".TH " + title in page and (name == "actio-model") == (b".SH EXIT STATUS" not in page), name
        if shutil.which("man") and shutil.which("groff"):
            write("page.1", page.decode())
            done = subprocess.run(["man", "--warnings", "-l", "page.1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80"})
            assert done.stderr == b"" and b"SEE ALSO" in done.stdout, (name, done.stderr)
        for other in pages:
            assert (name == other) != (other.replace("-", "\\-").encode() + b"\\fR(" in page), (name, other)
    for name in commands:                                  # a page of a command has its options and no others
        page = actio(name, "--help=man").out
        for row in json.loads(actio("--help=json").out)["options"]:
            mine = name in row["commands"]
            assert mine == ("\\fB%s%s\\fR" % ("\\-" * (1 + (len(row["name"]) > 1)), row["name"].replace("-", "\\-")) in page) or row["name"] == "method", (name, row["name"])


def source_rows(path, pattern):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src", path), encoding="utf-8") as file:
        return re.findall(pattern, file.read(), re.M)


def the_page_of_the_language_has_every_word():
    """The reader's own tables against the rows that actio-model(5) is made from."""
    forms = source_rows("api/language.def", r'^FORM\("(.*?)", "(.*?)", "')
    words = source_rows("model/words.def", r"^WORD\((\w+), (\w+)\)")
    spoken = {group: set(re.findall(r"\w+", " ".join(form for g, form in forms if g == group))) for group in dict(forms)}
    assert {w for w, kind in words if kind in ("STATEMENT", "OPENER")} == {form.split()[0] for group, form in forms if group == "statements"}
    assert {w for w, kind in words if kind in ("VALUE", "SPECIAL")} <= set().union(*spoken.values())
    assert not {w for w, kind in words if kind == "LATER"} & set().union(*spoken.values())
    functions = {name for name in source_rows("expr/ops.def", r'^OP\(\w+, +\d, "([a-z]\w*)"')} - {"fma", "and", "or", "not"}
    assert functions <= spoken["functions"], functions - spoken["functions"]
    page = actio("--help=model").out
    for _, form in forms:
        plain = form.replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha")
        assert "\\fB%s\\fR" % plain in page, form


def unknown_help_lists_its_kinds():
    done = actio("--help=nonsense")
    assert done.returncode == 2 and all(kind in done.err for kind in "man model json bash zsh fish".split()), done.err


# ---- new

def templates_are_listed_written_and_true():
    names = [row["template"] for row in json.loads(actio("new", "--json").out)["templates"]]
    assert {"pendulum", "rolling", "contact", "field", "constraint", "flow", "orbit"} <= set(names)
    text = actio("new", "--help").out
    for name in names:
        done = actio("new", name)
        assert done.returncode == 0 and done.err == "" and done.out.startswith("# ") and f"  {name} " in text, name
        assert actio("new", name, "-o", name + ".act").returncode == 0 and open(name + ".act", encoding="utf-8").read() == done.out
        assert json.loads(actio("new", name, "--json").out)["text"] == done.out
        assert actio("check", name + ".act").returncode == 0 and actio("test", name + ".act").returncode == 0, name
        commands = re.findall(r"`(actio [^`]*my\.act[^`]*)`", done.out)
        assert len(commands) >= 3, (name, commands)
        shutil.copy(name + ".act", "my.act")
        for words in commands:                             # what a template proposes to try works
            tried = actio(*words.split()[1:])
            assert tried.returncode == 0, (words, tried.err)
    assert actio("new").out == actio("new", "pendulum").out
    assert all(f"`{name}`" in actio("new").out or f"new {name}`" in actio("new").out for name in names if name != "pendulum")


def the_models_of_the_readme_hold():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
        page = file.read()
    models = [block for block in re.findall(r"^```\n(.*?)^```$", page, re.M | re.S) if "lagrangian" in block]
    assert len(models) == 2 and len(models[0].splitlines()) == 6, models
    for text in models:
        write("pendulum.act", text)
        assert actio("test", "pendulum.act").returncode == 0, text
        if text is models[0]:
            for words in re.findall(r"^\| `actio ([^`]*)`", page, re.M):
                assert actio(*words.split()).returncode == 0, words
    for link in re.findall(r"\]\(([^)#]+)", page):
        assert os.path.exists(os.path.join(root, link)), link


def new_refuses_what_it_can_not_do():
    done = actio("new", "pendullum")
    assert done.returncode == 2 and "did you mean 'pendulum'" in done.err and "rolling" in done.err, done.err
    assert actio("new", "rolling", "field").returncode == 2 and actio("new", "rolling", "-o", "a", "-o", "b").returncode == 2
    assert not os.path.exists("a") and not os.path.exists("b")
    write("mine.act", "mine\n")
    done = actio("new", "rolling", "-o", "mine.act")
    assert done.returncode == 5 and "the file exists" in done.err and open("mine.act").read() == "mine\n", done.err
    assert json.loads(actio("new", "-o", "mine.act", "--json").out)["errors"][0]["code"] == "CANNOT_WRITE"
    assert actio("new", "-o", "nowhere/a.act").returncode == 5
    with open("pendulum", "w") as out:                     # a template is not an input file
        assert subprocess.run([ACTIO, "new", "pendulum"], stdout=out).returncode == 0
    assert open("pendulum").read() == actio("new").out
    with open("/dev/full", "w") as out:
        assert subprocess.run([ACTIO, "new"], stdout=out, stderr=subprocess.DEVNULL).returncode == 5


def the_version_is_three_numbers_and_details():
    lines = actio("--version").out.splitlines()
    assert lines[0].startswith("actio ") and lines[0].count(".") == 2 and len(lines) > 2


# ---- hostile surroundings

def hostile_model_names_are_names_and_nothing_else():
    for name in ["$(touch PWNED).act", "`touch PWNED`.act", "; touch PWNED;.act", "a b\tc.act", "-o.act", "--help.act", "%s%n.act", "a\nb.act", "\033[2Jred.act",
                 "\u202egnp.act", "'\".act", "ä-θ.act", "..act", "*.act"]:
        write(name, OSCILLATOR)
        done = actio("run", "--quiet", "--", name)
        assert done.returncode == 0 and done.out.startswith("t,x"), (name, done.err)
        write(name, "coord x\nlagrangian \033]0;title\007 y\n")
        done = actio("run", "--", name)
        assert done.returncode == 1 and "\033" not in done.err and "\007" not in done.err and "\u202e" not in done.err, (name, done.err)
        os.remove(name)
    assert not os.path.exists("PWNED")


def the_environment_does_not_choose_the_compiler():
    write("a.act", OSCILLATOR.replace("time 0 .. 1", "time 0 .. 3000"))
    os.mkdir("cache")
    actio("run", "a.act", "-o", "a.csv", env={"CC": "sh -c 'touch " + os.path.abspath("PWNED") + "'", "CFLAGS": "-fplugin=x", "XDG_CACHE_HOME": os.path.abspath("cache")})
    assert not os.path.exists("PWNED")


def a_compiled_product_that_was_cut_short_is_made_again():
    write("a.act", OSCILLATOR.replace("time 0 .. 1", "time 0 .. 200000").replace("expect", "# "))
    os.mkdir("cache")
    words, env = ["run", "a.act", "--local", "1e-9", "--quiet", "-o", "a.csv"], {"XDG_CACHE_HOME": os.path.abspath("cache")}
    assert actio(*words, env=env).returncode == 0
    rows, kept = open("a.csv", "rb").read(), os.path.join("cache", "actio")
    products = [os.path.join(kept, n) for n in (os.listdir(kept) if os.path.isdir(kept) else []) if n.endswith(".so")]
    for product in products:
        os.truncate(product, 2000)
        done = actio(*words, env=env)
        assert done.returncode == 0 and open("a.csv", "rb").read() == rows and os.path.getsize(product) > 2000, done.returncode


def compiled_and_interpreted_runs_print_the_same():
    write("a.act", OSCILLATOR)
    assert actio("run", "a.act").stdout == actio("run", "a.act", "--no-compile").stdout


def the_locale_changes_nothing():
    write("a.act", OSCILLATOR)
    assert actio("run", "a.act", env={"LC_ALL": "de_DE.UTF-8"}).stdout == actio("run", "a.act", env={"LC_ALL": "C"}).stdout


def carets_stand_under_tabs_and_wide_signs():
    write("a.act", "coord x\nlagrangian x'^2/2\t- (\t蛇)\n")
    err = actio("run", "a.act").err.splitlines()
    place = err[0].split(":")
    assert place[1] == "2", err
    assert err[1].expandtabs().find("蛇") == err[2].expandtabs().find("^"), err


UNITED = """param m [kg] = 2, k [N/m] = 8, g [m/s^2] = 9.81
coord s [m]
lagrangian m/2*s'^2 - k/2*s^2 - m*g*s
start s = 1
time 0 .. 1
observe v [m/s] = s'
observe a = s''
"""


def help_is_never_cut():
    table = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src", "problem", "options.def"), encoding="utf-8").read()
    shown = " ".join(" ".join(actio(command, "--help").out.split()) for command in "check derive run test compare orbit list".split())
    for row in re.findall(r'^OPTION\((.*?)\)$', table, re.M | re.S):
        texts = re.findall(r'"((?:[^"\\]|\\.)*)"', row)
        assert " ".join(texts[-1].replace('\\"', '"').split()) in shown, texts[-1]


def options_have_owners_ranges_and_words():
    """The table describes itself, and what it says is what is refused."""
    table = json.loads(actio("--help=json").out)
    principles = table["principles"]
    write("a.act", OSCILLATOR)
    refused = 0
    for row in table["options"]:
        if "run" not in row["commands"]:
            continue
        value = {"switch": [], "integer": ["4"], "number": ["0.5"], "word": row.get("words", [""])[:1], "names": ["x"]}.get(row["kind"])
        stranger = [p for p in principles if p not in row["principles"]]
        if value is not None and stranger:
            done = actio("run", "a.act", "--" + row["name"], *value, "--by", stranger[0])
            same = row["name"] == "method"                 # auto is everybody's
            assert same or done.returncode == 2 and row["name"] in done.err and "use it here" in done.err, (row["name"], done.err)
            refused += 1
        for bound, off in (("least", -1), ("most", 1)):
            if row.get(bound) is not None and (row["kind"] != "integer" or bound == "least"):
                done = actio("run", "a.act", "--" + row["name"], str(row[bound] + off), "--by", row["principles"][0])
                assert done.returncode == 2 and "is not a" in done.err, (row["name"], bound, done.err)
        if row["kind"] == "word":
            done = actio("run", "a.act", "--" + row["name"], "nonsense", "--by", row["principles"][0])
            assert done.returncode == 2 and "nonsense" in done.err and row["words"][-1] in done.err, (row["name"], done.err)
    assert refused >= 8, refused
    for words in ("run a.act --resplit 0.2", "run a.act --resplit 0", "run a.act --resplit 0.1", "test a.act --resplit 0.2",
                  "compare a.act --by dalembert,gauss --resplit 0.2", "compare a.act --by dalembert,gauss --grid 20"):
        done = actio(*words.split())
        assert done.returncode == 2 and "use it here" in done.err, (words, done.err)
    assert actio("compare", "disk", "--by", "dalembert,gauss", "--points", "3").returncode == 0


def completion_offers_what_fits():
    script = actio("--help=bash").out
    for line, offered in (("run --by d", "dalembert discrete dual"), ("orbit --method ''", "shooting fourier dual"), ("run --method ''", "auto dop853 cvode"),
                          ("run --resp", "--resplit"), ("check --resp", ""), ("ch", "check"),
                          ("new p", "pendulum"), ("ne", "new")):
        words = ["actio", *line.replace("''", "").split(" ")]
        body = script + "COMP_WORDS=(%s); COMP_CWORD=%d; _actio; echo ${COMPREPLY[@]}" % (" ".join("'%s'" % w for w in words), len(words) - 1)
        done = subprocess.run(["bash", "-c", body], capture_output=True, text=True)
        assert done.stdout.strip() == offered, (line, done.stdout, done.stderr)


def completion_of_fish_offers_what_fits():
    if not shutil.which("fish"):
        return
    write("actio.fish", actio("--help=fish").out)
    for line, offered in (("run --by d", "dalembert discrete dual"), ("orbit --method f", "fourier"), ("run --method d", "dop853"), ("run --resp", "--resplit"),
                          ("check --resp", ""), ("ch", "check"), ("new p", "pendulum"), ("run disk-w", "disk-wall")):
        done = subprocess.run(["fish", "--no-config", "-c", "source actio.fish; complete -C 'actio %s'" % line], capture_output=True, text=True,
                              env={**os.environ, "HOME": os.getcwd(), "PATH": BUILD + ":" + os.environ["PATH"]})
        assert " ".join(row.split("\t")[0] for row in done.stdout.splitlines()) == offered, (line, done.stdout, done.stderr)


def completion_of_zsh_describes_what_fits():
    """What the script hands to zsh's own functions, which need a terminal."""
    if not shutil.which("zsh"):
        return
    write("_actio", actio("--help=zsh").out)
    stubs = "compdef() { }; source ./_actio; _arguments() { print -rl -- \"$@\" }; _describe() { print -rl -- $commands }; "
    for line, offered in (("run --by d", r"^--by=\[.*\]:P:\(dalembert .* dual\)$"), ("orbit --method f", r"^--method=\[.*\]:NAME:\(shooting fourier dual\)$"),
                          ("run x", r"^\*:model:_actio_models$"), ("run x", r"^\*-o\+\[.*\]:FILE:_files$"), ("new p", r"^1:template:\(.*pendulum.*\)$"),
                          ("check x", r"^\*--start=\[.*replace x'; several.*\]:NAME=EXPR:$"), ("ch", r"^check:check the model\\: ")):
        words = ["actio", *line.split()]
        done = subprocess.run(["zsh", "-f", "-c", stubs + "words=(%s); CURRENT=%d; _actio" % (" ".join(words), len(words))], capture_output=True, text=True)
        assert re.search(offered, done.stdout, re.M) and done.stderr == "", (line, offered, done.stdout, done.stderr)


def a_model_comes_from_standard_input():
    for words in ("check", "derive", "derive --format c", "run", "test", "compare --by dalembert,gauss", "orbit --period pi"):
        command, *options = words.split()
        done = subprocess.run([ACTIO, command, "-", *options], input=OSCILLATOR.encode(), capture_output=True)
        assert done.returncode == 0, (words, done.stderr)
        write("a.act", OSCILLATOR)
        told, same = done.stdout.decode(), actio(command, "a.act", *options).out
        if command in ("run", "derive"):
            assert told == same, (words, told[:300], same[:300])
    done = subprocess.run([ACTIO, "run", "-"], input=b"coord x\nlagrangian x'^2/2 + y\ntime 0 .. 1\n", capture_output=True)
    assert done.returncode == 1 and done.stderr.startswith(b"standard input:2:21: error: unknown name 'y'"), done.stderr
    assert actio("check", "-", "-").returncode == 2
    assert actio("run", "-").returncode == 1               # nothing there
    name = subprocess.run([ACTIO, "run", "-", "--json"], input=b"coord x\nlagrangian x'^2/2\ntime 0 .. 1\n", capture_output=True)
    assert json.loads(name.stdout)["status"] == 0


def claims_on_members_that_set_has_removed_are_skipped():
    write("a.act", "param n = 4\ncoord a[1 .. n], X\nlagrangian X'^2/2 + sum(i = 1 .. n, a[i]'^2/2 - a[i]^2/2)\nconstraint c[i = 2 .. n]: a[i] = a[1]\n"
          "time 0 .. 1\nexpect X at 1 = 0 within 1e-9\nexpect a[4] at 1 = 0 within 1e-9\nexpect a[3]' at 1 = 0 within 1e-9\nexpect drift(lambda.c[4]) < 1\n"
          "expect a_dot[4] at 1 = 0 within 1e-9\nexpect reaction.a[4] at 1 = 0 within 1e-9\n")
    for command in ("run", "check", "derive", "compare"):
        assert actio(command, "a.act", "--set", "n=2").returncode == 0, command
    done = actio("test", "a.act", "--set", "n=2", "--json")
    told = json.loads(done.out)
    assert done.returncode == 0 and (told["passed"], told["failed"], told["skipped"]) == (1, 0, 5), done.out
    assert [c["ok"] for c in told["claims"]] == [True, None, None, None, None, None], told
    assert "'a[4]' does not exist: the index runs from 1 to 2" == told["claims"][1]["why"], told
    assert actio("test", "a.act").returncode == 0 and "1 passed, 0 failed, 5 skipped" in actio("test", "a.act", "--set", "n=2").out
    write("b.act", open("a.act").read().replace("param n = 4", "param n = 2"))
    assert actio("run", "b.act").returncode == 1           # as written it is a mistake
    assert actio("run", "nlink", "--set", "n=5").returncode == 0


def axes_and_animations_are_checked_before_the_run():
    write("a.act", ENDLESS)
    for words, code in ((["run", "--plot", "a.svg", "--axes", "y"], "UNKNOWN_COLUMN"), (["run", "--animate", "a.svg"], "NO_FIELD"), (["run", "--plot", "a.svg", "--axes", "x:x:x"], "BAD_AXES"),
                        (["compare", "--overlay", "a.svg", "--axes", "y"], "UNKNOWN_COLUMN")):
        done = actio(words[0], "a.act", *words[1:], "--json")
        told = json.loads(done.out)
        assert done.returncode == 2 and told["errors"][0]["code"] == code, (words, done.out)
        assert not os.path.exists("a.svg") and "run" not in told and not told.get("steps"), (words, done.out)
    write("b.act", OSCILLATOR)
    assert actio("run", "b.act", "--plot", "b.svg", "--axes", "x:x_dot,energy,x'", "--quiet").returncode == 0 and os.path.exists("b.svg")


def pictures_say_what_they_do_not_show():
    write("a.act", "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint c: x' = y'\nforce x = 1\nstart x' = 1, y' = 1\ntime 0 .. 1\n")
    assert actio("run", "a.act", "--plot", "a.svg", "--quiet").returncode == 0
    assert "not shown: power.c, power.force" in open("a.svg", encoding="utf-8").read()
    assert actio("run", "a.act", "--plot", "a.svg", "--axes", "x", "--quiet").returncode == 0
    assert "not shown" not in open("a.svg", encoding="utf-8").read()


def columns_have_units():
    write("a.act", UNITED)
    assert actio("check", "a.act").returncode == 0
    assert actio("run", "a.act", "-o", "a.json", "--quiet").returncode == 0
    units = {c["name"]: c["unit"] for c in json.load(open("a.json"))["columns"]}
    assert units == {"t": "s", "s": "m", "s_dot": "m/s", "energy": "J", "v": "m/s", "a": "m/s^2"}, units
    code = actio("derive", "a.act", "--format", "c").out
    assert "p[2]  g  [m/s^2]" in code and "y[1]  s'  [m/s]" in code, code
    write("b.act", UNITED.replace("observe v [m/s] = s'", "observe v [m] = s'"))
    done = actio("check", "b.act")
    assert done.returncode == 1 and "b.act:6:9: error: observe v: `s'` is in [m/s], but its unit is [m]" in done.err, done.err
    write("c.act", UNITED + "let w [1/s] = v/s\nobserve z = w\n".replace("v/s", "s'/s"))
    assert actio("check", "c.act").returncode == 0


def formulas_have_fractions_and_like_terms_gathered():
    write("a.act", "coord x, y, z\nstate p, u\nlagrangian (1 + p^2)*x'^2/2 + (y'^2 + z'^2*(2 + sin(x)))/2 + p*y'*x'/5 - y^2*u/2 - x^2\n"
                   "flow p' + .3*u' = -p + x'\nflow u' - .2*p' = y\nconstraint c: z' = x*y'\nstart x = .4, x' = 1, p = 1, y' = .5, z' = .2\ntime 0 .. 2\n")
    for by in ("dalembert", "gauss"):
        out = actio("derive", "a.act", "--by", by).out
        assert "p' = 50*x'/53 - 15*y/53 - 50*p/53" in out, out
        assert "999999" not in out and "p^2 - 25*p^2" not in out, out


def a_driven_motion_shows_energy_less_work():
    write("a.act", "coord x\nlagrangian x'^2/2 - x^2/2 + x*sin(2*t)\nforce x = -.1*x' + mod(t, 1)\nstart x = 1\ntime 0 .. 10\n")
    told = json.loads(actio("run", "a.act", "--json", "--points", "2001").out)
    assert told["energy_drift"] > .1 and told["energy_less_work"] < 1e-8 and told["work_error"] < 1e-6, told
    write("b.act", OSCILLATOR)
    assert json.loads(actio("run", "b.act", "--json").out)["energy_less_work"] is None
    for force, seen in (("1e-9", True), ("1e-12", False)):                  # less than 1e-10 of the energy is rounding
        write("c.act", "coord x\nlagrangian x'^2/2 - x^2/2\nforce x = -%s*x'\nstart x = 1\ntime 0 .. 10\n" % force)
        assert (json.loads(actio("run", "c.act", "--json").out)["energy_less_work"] is not None) == seen, force
    status, shown = on_terminal("run", "a.act")
    assert status == 0 and "energy less work" in shown and "energy drift" not in shown, shown
    status, shown = on_terminal("run", "b.act")
    assert "energy drift" in shown and "energy less work" not in shown, shown


def options_that_do_not_exist_say_what_to_do():
    assert "--set NAME=VALUE" in actio("run", "disk", "--sweep", "R=1..2").err and "--seed" not in actio("run", "disk", "--sweep").err
    assert "write `actio derive MODEL`" in actio("run", "disk", "--derive").err


class NoTerminal(Exception):
    pass


def main():
    tests = [f for name, f in globals().items() if callable(f) and f.__module__ == "__main__" and getattr(f, "__code__", None)
             and f.__code__.co_argcount == 0 and not f.__code__.co_flags & 0x04 and name != "main"]
    if not os.access(ACTIO, os.X_OK):
        sys.exit(f"cli: there is no program in {BUILD}")
    tests = [test for test in tests if chosen(test.__name__)]
    failed = skipped = 0
    home = os.getcwd()
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                test()
            except NoTerminal as trouble:
                skipped += 1
                print(f"skipped: {test.__name__}: {trouble}")
            except Exception as trouble:                   # the others are still of interest
                failed += 1
                print(f"FAILED: {test.__name__}: {type(trouble).__name__}: {str(trouble)[:1500]}")
            os.chdir(home)
    return ended("cli", len(tests) - failed - skipped, failed)


if __name__ == "__main__":
    sys.exit(main())
