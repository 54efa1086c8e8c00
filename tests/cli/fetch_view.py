"""fetch_view.py ADDRESS: the page of `mien live --view`, pictures that change, and nothing for others."""
import http.client
import socket
import sys
import time
import urllib.parse

ADDRESS = urllib.parse.urlparse(sys.argv[1])
PORT = ADDRESS.port
OWN = f"127.0.0.1:{PORT}"


def ask(path, host=OWN):
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=3)
    try:
        connection.putrequest("GET", path, skip_host=True)
        if host is not None:
            connection.putheader("Host", host)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.headers["Content-Type"], answer.read()
    finally:
        connection.close()


def fetch(name):
    for _ in range(200):
        try:
            status, kind, body = ask(ADDRESS.path + name)
        except OSError:  # not listening yet
            status = 0
        if status == 200:
            return kind, body
        time.sleep(0.05)
    sys.exit(f"{name} never came")


def hold(count, text):
    """Clients that begin to ask and never end."""
    held = []
    for _ in range(count):
        one = socket.create_connection(("127.0.0.1", PORT), timeout=3)
        one.sendall(text)
        held.append(one)
    return held


kind, page = fetch("")
assert kind.startswith("text/html") and b"frame.bmp" in page, kind
seen = set()
for _ in range(40):
    kind, picture = fetch("frame.bmp")
    assert kind == "image/bmp" and picture[:2] == b"BM", kind
    assert len(picture) == 54 + 96 * 96 * 3, len(picture)
    seen.add(picture)
    time.sleep(0.03)
assert len(seen) > 3, f"{len(seen)} different pictures"
assert len(set(picture[54:])) > 20, "the picture is empty"

# other sites, other names of this machine, and whoever does not know the secret of this run
frame = ADDRESS.path + "frame.bmp"
assert ask(frame, f"localhost:{PORT}")[0] == 200
for host in ("evil.example", f"evil.example:{PORT}", f"127.0.0.1.evil.example:{PORT}", "127.0.0.1", f"0.0.0.0:{PORT}"):
    assert ask(frame, host)[0] == 403, host
assert ask(frame, None)[0] == 400
for path in ("/", "/frame.bmp", "/" + 32 * "0" + "/frame.bmp", ADDRESS.path[:-2] + "x/", "/etc/passwd"):
    assert ask(path)[0] == 403, path
assert ask(ADDRESS.path + "../etc/passwd")[0] == 404

# clients that are slow, silent or many hold up nobody
held = hold(20, b"GET / HT") + hold(20, b"")
started = time.monotonic()
for _ in range(5):
    fetch("frame.bmp")
assert time.monotonic() - started < 2, "slow clients hold up others"
for k in range(200):
    noise = socket.create_connection(("127.0.0.1", PORT), timeout=3)
    noise.sendall(bytes((7 * k + i) % 256 for i in range(50)) + b"\r\n\r\n")
    noise.close()
fetch("frame.bmp")
if "--hold" in sys.argv:  # stay, slow, while the program is told to end
    held += hold(10, b"GET /")
    print("holding", flush=True)
    time.sleep(60)
