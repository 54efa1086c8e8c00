"""seeds.py pack PACK FOLDER...: the files of the folders, each once, the smallest first, as one file.
seeds.py unpack PACK FOLDER: and back, for libFuzzer.
seeds.py vary PACK FOLDER... COUNT: fills a pack up to COUNT with changed copies of the files.

A pack keeps hundreds of small seeds in one file: length (four bytes, the lowest first) and bytes of each.
"""
import hashlib
import os
import random
import re
import sys

MOST_BYTES = 4096  # of a seed, and MOST_PACK of a pack: what is kept is kept in every clone
MOST_PACK, MOST_SEEDS = 260_000, 300
EXTREMES = [b"\0", b"\xff" * 4, b"\x7f\xff\xff\xff", b"\0\0\0\x80", b"-1", b"1e999", b"\"", b"{", b"]"]


def read_files(folders):
    found = {}
    for folder in folders:
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            found[hashlib.sha256(data).digest()] = data
    return sorted(found.values(), key=lambda data: (len(data), data))


def read_pack(path):
    data, at, seeds = open(path, "rb").read() if os.path.exists(path) else b"", 0, []
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "little")
        seeds.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    return seeds


def write_pack(path, seeds):
    total, kept = 0, []
    for data in seeds:
        total += 4 + len(data)
        if len(data) > MOST_BYTES or total > MOST_PACK or len(kept) == MOST_SEEDS:
            break
        kept.append(data)
    with open(path, "wb") as file:
        for data in kept:
            file.write(len(data).to_bytes(4, "little") + data)
    print(f"{path}: {len(kept)} of {len(seeds)} seeds, {sum(map(len, kept))} bytes")


def vary(seeds, count):
    """Cut short, one place set to an extreme, two files joined: what a fuzzer does first."""
    made, draw = dict.fromkeys(seeds), random.Random(19)
    small = [data for data in seeds if 0 < len(data) <= 2048]
    while small and len(made) < count:
        data, at = draw.choice(small), draw.random()
        at = int(at * len(data))
        kind = draw.randrange(5)
        if kind == 0:
            data = data[:at]
        elif kind == 1:
            extreme = draw.choice(EXTREMES)
            data = data[:at] + extreme + data[at + len(extreme) :]
        elif kind == 2:
            other = draw.choice(small)
            data = data[:at] + other[int(draw.random() * len(other)) :]
        else:  # a number of as many digits: lengths around it still fit
            found = [m for m in re.finditer(rb"[0-9]+", data) if m.start() >= at][:1]
            for m in found:
                digits = bytes(draw.choice(b"0123456789") for _ in m.group())
                data = data[: m.start()] + digits + data[m.end() :]
        made.setdefault(data[:MOST_BYTES])
    return sorted(made, key=lambda data: (len(data), data))


verb, pack, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
if verb == "pack":
    write_pack(pack, read_files(rest))
elif verb == "vary":
    own = read_pack(pack)
    write_pack(pack, vary(list(dict.fromkeys(own + read_files(rest[:-1]))), int(rest[-1])))
elif verb == "unpack":
    os.makedirs(rest[0], exist_ok=True)
    for number, data in enumerate(read_pack(pack)):
        with open(os.path.join(rest[0], f"{number:04d}"), "wb") as file:
            file.write(data)
else:
    sys.exit(__doc__)
