#!/usr/bin/env python3
"""Asks regard serve for the translations of a file, with many clients at a time.
    tests/apps/serve/load.py PORT SOURCE TARGET FILE [CLIENTS] [ROUNDS]     40 clients and one round unless given
SOURCE and TARGET are codes of languages. Prints the sentences per second, how many requests failed, and the times that
clients waited. Compare with `regard bench translate MODEL_DIR --source FILE`."""

import asyncio
import json
import sys
import time

port, source, target, path = sys.argv[1:5]
clients = int(sys.argv[5]) if len(sys.argv) > 5 else 40
rounds = int(sys.argv[6]) if len(sys.argv) > 6 else 1
with open(path, encoding="utf-8") as file:
    sentences = file.read().splitlines() * rounds
waits = []
failed = 0


async def ask(sentence):
    body = json.dumps({"q": sentence, "source": source, "target": target}).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
    writer.write(b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                 b"%d\r\n\r\n%s" % (len(body), body))
    reply = await reader.read()
    writer.close()
    return reply.startswith(b"HTTP/1.1 200 ")


async def client(waiting):
    global failed
    for sentence in waiting:
        begin = time.perf_counter()
        failed += not await ask(sentence)
        waits.append(time.perf_counter() - begin)


async def main():
    waiting = iter(sentences)  # all clients take from it
    begin = time.perf_counter()
    await asyncio.gather(*(client(waiting) for _ in range(clients)))
    seconds = time.perf_counter() - begin
    waits.sort()
    print(f"{len(sentences) / seconds:.1f} sentences/s, {failed} failed; a client waited {1000 * waits[len(waits) // 2]:.0f}"
          f" ms in the median, 99 of 100 at most {1000 * waits[int(len(waits) * 0.99)]:.0f} ms")


asyncio.run(main())
