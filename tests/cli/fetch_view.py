"""fetch_view.py PORT: the page of `mien live --view`, and pictures that change."""
import socket
import sys
import time
import urllib.error
import urllib.request

BASE = f"http://127.0.0.1:{sys.argv[1]}"


def fetch(path):
    with urllib.request.urlopen(BASE + path, timeout=2) as answer:
        return answer.headers["Content-Type"], answer.read()


def fetch_when_there(path):
    for _ in range(200):
        try:
            return fetch(path)
        except OSError:  # not listening yet, or no picture yet
            time.sleep(0.05)
    sys.exit(f"{path} never came")


kind, page = fetch_when_there("/")
assert kind.startswith("text/html") and b"/frame.bmp" in page, kind
seen = set()
for _ in range(40):
    kind, picture = fetch_when_there("/frame.bmp")
    assert kind == "image/bmp" and picture[:2] == b"BM", kind
    assert len(picture) == 54 + 96 * 96 * 3, len(picture)
    seen.add(picture)
    time.sleep(0.03)
assert len(seen) > 3, f"{len(seen)} different pictures"
assert len(set(picture[54:])) > 20, "the picture is empty"
try:
    fetch("/etc/passwd")
    sys.exit("it serves what it should not")
except urllib.error.HTTPError as error:
    assert error.code == 404
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as rude:  # says nothing, holds on
    fetch_when_there("/frame.bmp")
