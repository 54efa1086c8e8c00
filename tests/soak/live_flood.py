"""live_flood.py MIEN SAMPLES WORK [--judge] [--clients N] [--rate N]: a show among strangers.

A face is driven over VMC, simulated and shown on its page: in peace, and while clients of the page are malformed or
slow and another sender floods the port. Nothing crashes, the performer is heard, the page answers, memory stays, and
the program ends when it is told to. All on the loopback.

--judge, on an idle machine: steps take 10 % longer at most (p99), and the show spends little more time of the
processors. Here the strangers run on the processors of the show, which those of a network do not: so they go last
(SCHED_IDLE), and are judged only if they were as many all the same. What is left is what they cost the show itself.
The same without that is printed beside it, and so is the same crowd around another program.
"""
import http.client
import json
import multiprocessing
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import time
import urllib.parse

MIEN, SAMPLES, WORK = map(os.path.abspath, sys.argv[1:4])


def option(name, otherwise):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else otherwise


JUDGE = "--judge" in sys.argv
CLIENTS, RATE, SECONDS = option("--clients", 1000), option("--rate", 50_000), 12
CLIENT, PACKET, PER_SECOND = range(3)  # what strangers count
failures = []


def check(ok, what):
    if not ok:
        failures.append(what)


def resident(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s*(\d+)", file.read()).group(1))


def spent(pid):
    """Seconds of processor time of all its threads."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


# -- strangers ---------------------------------------------------------------------------------------------------


def ask(address, name):
    connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=10)
    try:
        connection.request("GET", address.path + name)
        return connection.getresponse().status
    except OSError:
        return 0
    finally:
        connection.close()


def annoy(address, ended, counts):
    """Requests that are cut off, too long, not HTTP, or never finished; most of them stay open."""
    draw, held = random.Random(19), []
    picture = f"GET {address.path}frame.bmp HTTP/1.1\r\nHost: 127.0.0.1:{address.port}\r\n\r\n".encode()
    for k in range(CLIENTS):
        if ended.is_set():
            break
        # the last kind never reads its picture
        noise = draw.randbytes(300) + b"\r\n\r\n"
        text = [b"GET / HT", b"", b"\0" * 5000, noise, b"GET " + b"/" * 5000, picture][k % 6]
        try:
            one = socket.create_connection(("127.0.0.1", address.port), timeout=2)
            one.settimeout(0.2)
            held.append(one)
            one.sendall(text)
        except OSError:
            pass
        counts[CLIENT] = k + 1
        if len(held) > 64:
            held.pop(0).close()
        time.sleep(SECONDS / CLIENTS / 2)
    for one in held:
        one.close()


def flood(port, ended, counts):
    """Packets of a stranger: another address of this machine, which is not the phone that is named."""
    draw = random.Random(7)
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.bind(("127.0.0.2", 0))
    packets = [draw.randbytes(draw.randrange(1, 400)) for _ in range(64)]
    begun, sent = time.monotonic(), 0
    while not ended.is_set():
        for packet in packets:
            try:
                sender.sendto(packet, ("127.0.0.1", port))
            except OSError:
                pass
        sent += len(packets)
        counts[PACKET], counts[PER_SECOND] = sent, int(sent / (time.monotonic() - begun))
        time.sleep(max(0, begun + sent / RATE - time.monotonic()))
    sender.close()


def let_loose(job, where, ended, counts, last):
    """A process of strangers."""

    def run():
        if last:
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        job(where, ended, counts)

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    return process


# -- shows -------------------------------------------------------------------------------------------------------


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def begin(name, port, *more):
    """The show, and the address of its page."""
    with open(name + ".err", "w", encoding="utf-8") as err, open(name + ".json", "w", encoding="utf-8") as out:
        words = ["live", SAMPLES + "/head_small.glb", "--vmc", str(port), "--phone", "127.0.0.1", "--unpaced"]
        words += ["--fps", "60", "--view", "0", "--size", "96", "--json", *more]
        show = subprocess.Popen([MIEN, *words], stdout=out, stderr=err)
    for _ in range(300):
        with open(name + ".err", encoding="utf-8") as file:
            told = file.read()
        found = re.search(r"http://\S+/", told)
        if found and "listening to" in told:
            return show, urllib.parse.urlparse(found.group(0))
        time.sleep(0.1)
    show.kill()
    sys.exit("the show did not begin: " + told)


def end(show):
    """The exit code, and how long it took."""
    begun = time.monotonic()
    show.send_signal(signal.SIGINT)
    try:
        code = show.wait(timeout=10)
    except subprocess.TimeoutExpired:
        show.kill()
        code = "none: it had to be killed"
    return code, time.monotonic() - begun


def watch(name, show, address, performer, counts):
    """Until the performer ends; what is true of every show is checked."""
    time.sleep(2)
    early, answers, before, begun = resident(show.pid), [], spent(show.pid), time.monotonic()
    while performer.poll() is None or 0 < counts[CLIENT] < CLIENTS:
        answers.append(ask(address, "frame.bmp"))
        time.sleep(0.5)
    late, busy = resident(show.pid), (spent(show.pid) - before) / (time.monotonic() - begun)
    check(answers.count(200) >= 0.7 * len(answers), f"{name}: the page answered {answers}")
    check(late < early + early // 10 + 2048, f"{name}: memory grew from {early} to {late} kB")
    return f"{early} -> {late} kB, busy {100 * busy:.1f} % of a processor", busy


def play(name, crowd=None, last=False):
    """A show with a crowd around it ("at us"), around another ("aside"), or none: what it told."""
    port, aside = free_port(), None
    show, address = begin(name, port)
    target, to = (address, port)
    if crowd == "aside":
        to = free_port()
        aside, target = begin("aside", to, "--solver", "kinematic", "--fps", "1")
    words = ["live", SAMPLES + "/head_small.glb", "--take", SAMPLES + "/reel.csv", "--solver", "kinematic"]
    words += ["--seconds", str(SECONDS), "--send-vmc", f"127.0.0.1:{port}"]
    performer = subprocess.Popen([MIEN, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ended, counts, strangers = multiprocessing.Event(), multiprocessing.Array("q", 3), []
    if crowd:
        strangers = [let_loose(annoy, target, ended, counts, last), let_loose(flood, to, ended, counts, last)]
    told, busy = watch(name, show, address, performer, counts)
    code, seconds = end(show)
    ended.set()
    for process in strangers:
        process.join()
    if aside:
        end(aside)
    check(code == 0, f"{name}: exit code {code}")
    check(seconds < 3, f"{name}: it took {seconds:.1f} s to end")
    if crowd:
        least = 0.9 * RATE if JUDGE else 1000
        check(counts[CLIENT] >= CLIENTS, f"{name}: only {counts[CLIENT]} clients came")
        check(counts[PER_SECOND] > least, f"{name}: only {counts[PER_SECOND]} foreign packets a second were sent")
    if code != 0:
        return None
    with open(name + ".json", encoding="utf-8") as file:
        show = json.load(file)
    steps = show["stages"]["simulate"]
    print(f"{name}: {show['steps']} steps, {show['source_frames']} frames heard, {show['dropped']} packets dropped")
    print(f"  {told}, ended in {seconds:.2f} s, "
          f"steps median {steps['median_ms']:.2f}, p99 {steps['p99_ms']:.2f} ms, {counts[CLIENT]} clients, "
          f"{counts[PACKET]} foreign packets, {counts[PER_SECOND]} a second")  # fmt: skip
    return show["source_frames"], steps["p99_ms"], busy


def compare(last, times):
    """Peace, a crowd aside and a crowd at us, one after the other: p99 and time against those of peace."""
    p99, busy = {}, {}
    for k in range(times):
        for crowd in (None, "aside", "at us"):
            told = play(f"{crowd or 'peace'}{', last' if last else ''} {k}", crowd, last)
            if told:
                p99.setdefault(crowd, []).append(told[1])
                busy.setdefault(crowd, []).append(told[2])
    middle = {crowd: statistics.median(values) for crowd, values in p99.items()}
    more = statistics.median(busy["at us"]) - statistics.median(busy[None])
    print(f"{'strangers go last' if last else 'among equals'}: p99 of steps in peace {middle[None]:.2f} ms, "
          f"crowd aside {middle['aside'] / middle[None]:.2f}, crowd at us {middle['at us'] / middle[None]:.2f} times; "
          f"{100 * more:.1f} % of a processor more")  # fmt: skip
    return middle["at us"] / middle[None], more


os.makedirs(WORK, exist_ok=True)
os.chdir(WORK)
if JUDGE:
    compare(False, 3)
    slower, more = compare(True, 3)
    check(slower < 1.1, f"steps took {slower:.2f} times as long (p99)")
    check(more < 0.05, f"strangers take {100 * more:.1f} % of a processor")
else:
    quiet, loud = play("peace"), play("at us", "at us")
    if quiet and loud:
        check(loud[0] > 0.7 * quiet[0], "the performer was not heard any more")
for line in failures:
    print("FAILED:", line)
sys.exit(1 if failures else 0)
