"""live_flood.py MIEN SAMPLES WORK [--judge] [--clients N] [--rate N]: a show among strangers.

A face is driven over VMC and shown on its page twice: in peace, and while clients of the page are malformed or slow
and another sender floods the port. Nothing crashes, the performer is heard, the page answers, memory stays, and the
program ends when it is told to. All on the loopback. --judge, on an idle machine: steps take 10 % longer at most.
"""
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

MIEN, SAMPLES, WORK = map(os.path.abspath, sys.argv[1:4])


def option(name, otherwise):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else otherwise


CLIENTS, RATE, SECONDS = option("--clients", 1000), option("--rate", 50_000), 12
failures = []


def check(ok, what):
    if not ok:
        failures.append(what)


def resident(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s*(\d+)", file.read()).group(1))


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
        counts["clients"] = k + 1
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
        counts["packets"], counts["a second"] = sent, int(sent / (time.monotonic() - begun))
        time.sleep(max(0, begun + sent / RATE - time.monotonic()))
    sender.close()


def begin(name, port):
    """The show, and the address of its page."""
    with open(name + ".err", "w", encoding="utf-8") as err, open(name + ".json", "w", encoding="utf-8") as out:
        words = ["live", SAMPLES + "/head_small.glb", "--vmc", str(port), "--phone", "127.0.0.1"]
        words += ["--solver", "kinematic", "--view", "0", "--size", "96", "--json"]
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


def play(name, disturbed):
    port = random.Random(os.getpid() + disturbed).randrange(20000, 40000)
    show, address = begin(name, port)
    words = ["live", SAMPLES + "/head_small.glb", "--take", SAMPLES + "/reel.csv", "--solver", "kinematic"]
    words += ["--seconds", str(SECONDS), "--send-vmc", f"127.0.0.1:{port}"]
    performer = subprocess.Popen([MIEN, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ended, counts, threads = threading.Event(), {}, []
    if disturbed:
        threads.append(threading.Thread(target=annoy, args=(address, ended, counts)))
        threads.append(threading.Thread(target=flood, args=(port, ended, counts)))
    for thread in threads:
        thread.start()
    time.sleep(2)
    early, answers = resident(show.pid), []
    while performer.poll() is None or counts.get("clients", CLIENTS) < CLIENTS:
        answers.append(ask(address, "frame.bmp"))
        time.sleep(0.5)
    late = resident(show.pid)
    code, seconds = end(show)
    ended.set()
    for thread in threads:
        thread.join()
    check(code == 0, f"{name}: exit code {code}")
    check(seconds < 3, f"{name}: it took {seconds:.1f} s to end")
    check(answers.count(200) >= 0.7 * len(answers), f"{name}: the page answered {answers}")
    check(late < early + early // 10 + 2048, f"{name}: memory grew from {early} to {late} kB")
    if code != 0:
        return None, counts
    with open(name + ".json", encoding="utf-8") as file:
        told = json.load(file)
    p99 = told["stages"]["simulate"]["p99_ms"]
    print(f"{name}: {told['steps']} steps, {told['source_frames']} frames heard, {told['dropped']} packets dropped")
    print(f"  {early} -> {late} kB, ended in {seconds:.2f} s, steps p99 {p99:.2f} ms, {counts}")
    return told, counts


os.makedirs(WORK, exist_ok=True)
os.chdir(WORK)
quiet, _ = play("quiet", False)
loud, sent = play("loud", True)
if quiet and loud:
    check(sent.get("clients", 0) >= CLIENTS, f"only {sent.get('clients')} clients came")
    check(sent.get("packets", 0) > 10_000, f"only {sent.get('packets')} foreign packets were sent")
    check(loud["source_frames"] > 0.7 * quiet["source_frames"], "the performer was not heard any more")
    slower = loud["stages"]["simulate"]["p99_ms"] / max(quiet["stages"]["simulate"]["p99_ms"], 1e-6)
    check("--judge" not in sys.argv or slower < 1.1, f"steps took {slower:.2f} times as long (p99)")
for line in failures:
    print("FAILED:", line)
sys.exit(1 if failures else 0)
