#!/usr/bin/env python3
"""Make the sample lanes. Run it anywhere: it writes beside itself, and always the same bytes.

Each lane has a broken period as the lane wrote it, and a repaired one in which every failure carries its right name.
The lane `bare-NAME` is the broken period of NAME once more, line for line, without the lines that prove the cause.
"""

import json
import random
from datetime import datetime, timedelta, timezone
from itertools import product
from pathlib import Path

HERE = Path(__file__).resolve().parent
UTC = timezone.utc
TOKYO = timezone(timedelta(hours=9))


class File:
    """One log file of a lane: lines with their instants, kept in order of time."""

    def __init__(self, name):
        self.name = name
        self.lines = []

    def add(self, at, text, proof=False, repaired=False):
        """`proof`: only the lane has this line, never its bare twin. `repaired`: likewise, the repaired period."""
        self.lines.append((at, len(self.lines), text, proof or repaired))

    def text(self, bare):
        kept = [line for line in sorted(self.lines) if not (bare and line[3])]
        return "".join(line[2] + "\n" for line in kept)


def write(lane, files, root=HERE):
    """Writes the files of a lane and of its bare twin (without the files that are proof from end to end)."""
    for folder, bare in ((lane, False), ("bare-" + lane, True)):
        for file in files:
            text = file.text(bare)
            if text:
                path = root / folder / file.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8", newline="\n")


def day(number, hour=0, minute=0, zone=UTC):
    """An instant of August 2026."""
    return datetime(2026, 8, number, hour, minute, tzinfo=zone)


def ms(milliseconds):
    return timedelta(milliseconds=milliseconds)


def iso(at):
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z"


def python_stamp(at):
    """The stamp of Python's logging: local time, no zone."""
    return f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03}"


def hexid(rng, digits):
    return f"{rng.getrandbits(4 * digits):0{digits}x}"


def decoy(rng, value):
    """Now and then 429 where it is no status: a price, a duration, a count, a part of an id."""
    return 429 if rng.random() < 0.1 else value


def pino(at, level, name, pid, **fields):
    """A line as the Node logger pino writes it: `msg` last."""
    msg = fields.pop("msg")
    head = {"level": level, "time": int(at.timestamp() * 1000), "pid": pid, "hostname": "lanes-02", "name": name}
    return json.dumps(head | fields | {"msg": msg}, ensure_ascii=False, separators=(",", ":"))


# watch-arb: product pages of 28 shops, every eight hours. From the second run on 16 of them answer 429.

STEADY = ["aoi-books", "bizen-kiln", "chaya-tea", "daruma-toys", "edo-glass", "fude-brush", "goma-foods", "hako-box",
          "indigo-dye", "jindai-soba", "kanna-tools", "lacquer-lab"]
LIMITED = ["mokuzai-ya", "nuno-cloth", "obi-annex", "pan-kobo", "rokuro-ware", "sake-cellar", "tansu-house",
           "uchiwa-fan", "vintage-denim", "washi-paper", "yakimono", "zori-footwear", "kettle-works", "lantern-co",
           "noren-shop", "tatami-craft"]


def shop_url(shop, page):
    return f"https://{shop}.example.com/products?page={page}"


def watch_arb():
    rng = random.Random("watch-arb")
    files = []
    for number in range(8, 13):
        log = File(f"2026-08-{number:02}.log")
        files.append(log)
        for hour in (1, 9, 17):
            limited = (8, 1) < (number, hour) < (10, 0)
            watch_arb_run(rng, log, day(number, hour) + ms(rng.randrange(900, 4000)), limited, number >= 10)
    files.append(watch_arb_prober(rng))
    write("watch-arb", files)


def watch_arb_run(rng, log, start, limited, repaired):
    """One run. The repaired program asks one shop after the other and names a 429 before it extracts anything."""
    pid = rng.randrange(2000, 60000)
    run, shops = f"wa-{start:%m%d}-{hexid(rng, 6)}", STEADY + LIMITED
    late = set(rng.sample(LIMITED, 1)) if repaired and start.hour != 17 else set()

    def say(at, level, name="watch-arb", proof=False, **fields):
        log.add(at, pino(at, level, name, pid, run=run, **fields), proof, repaired)

    say(start, 30, shops=len(shops), concurrency=1 if repaired else 16, retries=0, msg="run start")
    clock = start + ms(rng.randrange(40, 120))
    end = clock
    found = changed = 0
    for shop in rng.sample(shops, len(shops)):
        page = rng.randrange(1, 6)
        took = decoy(rng, rng.randrange(180, 1900))
        request = f"req-{decoy(rng, hexid(rng, 3))}{hexid(rng, 2)}"
        clock += ms(rng.randrange(2500, 6000) if repaired else rng.randrange(15, 70))
        at = clock + ms(took)
        if limited and shop in LIMITED:
            at = clock + ms(rng.randrange(60, 240))
            say(at, 30, "http", proof=True, reqId=request, shop=shop, url=shop_url(shop, page),
                status=429, bytes=rng.randrange(0, 170), ms=(at - clock) // ms(1), msg="response")
            at += ms(rng.randrange(20, 400))
            say(at, 50, shop=shop, url=shop_url(shop, page), items=0, msg="extract_failed")
            end = max(end, at)
            continue
        if shop in late:
            say(at, 40, shop=shop, url=shop_url(shop, page), status=429, reqId=request,
                msg="rate_limited status=429 wait=60s")
            at += ms(60000 + took)
            clock = at
        if not repaired:
            say(at, 30, "http", proof=True, reqId=request, shop=shop, url=shop_url(shop, page),
                status=200, bytes=rng.randrange(18000, 260000), ms=took, msg="response")
            at += ms(rng.randrange(20, 400))
        items = rng.randrange(8, 97)
        found += items
        changed += items // 9
        say(at, 30, shop=shop, items=items, cheapest=decoy(rng, 10 * rng.randrange(48, 900)),
            errors=0, ms=took, msg="shop done")
        end = max(end, at)
        if items % 5 == 0:
            sku = f"p-{decoy(rng, rng.randrange(100, 999))}{rng.randrange(10, 99)}"
            say(at + ms(3), 20, shop=shop, sku=sku, error=None, msg="price changed")
    good = len(shops) - (len(LIMITED) if limited else 0)
    end += ms(rng.randrange(300, 900))
    say(end, 30, items=found, changed=changed, error=None,
        msg=f"ingest took {decoy(rng, rng.randrange(200, 900))} ms")
    end += ms(rng.randrange(20, 90))
    say(end, 30, ok=good, failed=len(shops) - good, seconds=round((end - start).total_seconds(), 1),
        msg=f"run done verified={good}")


def watch_arb_prober(rng):
    """On the evening of the second day a prober asks the same 16 shops, one at a time, and gets them all."""
    log = File("prober.log")
    at = day(9, 20) + ms(2112)

    def say(text):
        log.add(at, f"{at:%Y-%m-%d %H:%M:%S} prober {text}", proof=True)

    say(f"start shops={len(LIMITED)} pause=150s concurrency=1")
    for shop in LIMITED:
        at += ms(rng.randrange(150000, 171000))
        say(f"GET {shop_url(shop, 1)} status=200 bytes={rng.randrange(18000, 260000)} shop={shop} "
            f"items={rng.randrange(8, 97)} took={rng.randrange(400, 2100)}ms")
    at += ms(1500)
    say(f"done fetched={len(LIMITED)} of {len(LIMITED)} errors=0")
    return log


# watch-arb-bootstrap: asks the collector's own API for the list of shops, every two hours.

BOOT_FAILS = [(8, 12), (8, 14), (9, 4), (9, 6), (9, 18)]
BOOT_NAMED_RIGHT = [(10, 22), (12, 8)]
API_AT = "203.0.113.24:443"


def fetch_error():
    """What Node's fetch throws when undici gets no connection in ten seconds."""
    cause = f"Connect Timeout Error (attempted address: {API_AT}, timeout: 10000ms)"
    return {
        "type": "TypeError", "message": "fetch failed",
        "stack": "TypeError: fetch failed\n    at node:internal/deps/undici/undici:13510:13\n"
                 "    at async req (file:///srv/watch-arb/collector/lib/api.mjs:41:17)",
        "cause": {
            "type": "ConnectTimeoutError", "message": cause,
            "stack": f"ConnectTimeoutError: {cause}\n"
                     "    at onConnectTimeout (node:internal/deps/undici/undici:2602:28)\n"
                     "    at Immediate._onImmediate (node:internal/deps/undici/undici:2583:35)",
            "name": "ConnectTimeoutError", "code": "UND_ERR_CONNECT_TIMEOUT",
        },
    }


def watch_arb_bootstrap():
    rng = random.Random("watch-arb-bootstrap")
    log = File("bootstrap.log")
    for number, hour in product(range(8, 13), range(0, 24, 2)):
        start = day(number, hour) + ms(rng.randrange(1000, 9000))
        bootstrap_run(rng, log, start, (number, hour) in BOOT_FAILS, (number, hour) in BOOT_NAMED_RIGHT)
    write("watch-arb-bootstrap", [log])


def bootstrap_run(rng, log, at, fails, named_right):
    pid = rng.randrange(2000, 60000)
    run = f"boot-{decoy(rng, hexid(rng, 3))}{hexid(rng, 4)}"
    path = "/api/collector/shops"
    repaired = at >= day(10)

    def say(level, msg, name="bootstrap", proof=False, **fields):
        log.add(at, pino(at, level, name, pid, run=run, **fields, msg=msg), proof, repaired)

    say(30, "boot start", node="v22.14.0", retries=0)
    at += ms(rng.randrange(20, 80))
    say(30, "config loaded", keys=decoy(rng, rng.randrange(31, 38)), errors=0)
    at += ms(rng.randrange(90, 420))
    say(30, f"cache opened in {decoy(rng, rng.randrange(90, 800))} ms", rows=rng.randrange(8000, 9400), error=None)
    at += ms(rng.randrange(30, 90))
    if fails:
        at += ms(10000 + rng.randrange(4, 30))
        say(20, f"GET {path}", "http", proof=True, ms=10000 + rng.randrange(4, 30), err=fetch_error())
        at += ms(rng.randrange(2, 6))
        say(60, "FATAL")
        return
    if named_right:
        at += ms(10000 + rng.randrange(4, 30))
        say(40, "connect_timeout code=UND_ERR_CONNECT_TIMEOUT attempt=1/3 wait=4s", "http", path=path,
            after_ms=10000)
        at += ms(4000 + rng.randrange(3, 40))
    took = decoy(rng, rng.randrange(120, 900))
    at += ms(took)
    say(20, f"GET {path}", "http", proof=True, status=200, bytes=rng.randrange(5200, 6100), ms=took)
    at += ms(rng.randrange(4, 20))
    say(30, "ready shops=28", queue=rng.randrange(0, 12), error=None)
    at += ms(rng.randrange(400, 900))
    say(30, "boot done", code=0, errors=0)


# social-autolike: a shell script with a Python child (ig-3), and a Python program (ig-sug). Both use the private API.

SOURCES = ["tag:kissaten", "tag:ceramics_jp", "tag:filmcamera", "tag:tokyowalk", "loc:kamakura", "loc:kurashiki",
           "loc:onomichi", "user:kiln.notes", "user:paper.and.ink", "user:slow.morning", "user:letterpress.lab"]
ACCOUNT = "kaya.ceramics"
API = "https://i.gram.example.com/api/v1"


def source_url(source):
    kind, name = source.split(":")
    return {"tag": f"{API}/tags/{name}/sections/", "loc": f"{API}/locations/{name}/sections/",
            "user": f"{API}/users/{name}/media/"}[kind]


def social_autolike():
    rng = random.Random("social-autolike")
    ig3 = File("ig-3.log")
    sug = File("ig-sug.log")
    for number in range(8, 13):
        for hour in (7, 10, 13, 16, 19, 22):
            limited = (8, 7) < (number, hour) < (10, 0)
            ig3_run(rng, ig3, day(number, hour, zone=TOKYO) + ms(rng.randrange(400, 2500)), limited)
        for hour in (8, 20):
            limited = (8, 8) < (number, hour) < (10, 0)
            sug_run(rng, sug, day(number, hour, 30, zone=TOKYO) + ms(rng.randrange(400, 2500)), limited)
    write("social-autolike", [ig3, sug])


def ig3_run(rng, log, at, limited):
    """The script asks its child for each source in turn; 0.3 to 0.5 s apart, in the broken period."""
    repaired = at >= day(10, zone=TOKYO)
    run = f"ig3-{at:%m%d-%H}-{hexid(rng, 4)}"
    begun = at
    late = rng.choice(SOURCES) if repaired and at.hour == 19 else None

    def shell(text):
        log.add(at, f"[{at:%Y-%m-%d %H:%M:%S}] {text}", repaired=repaired)

    def child(level, text, proof=False):
        log.add(at, f"{python_stamp(at)} {level} igapi.{text}", proof, repaired)

    shell(f"RUN start run={run} account={ACCOUNT} sources={len(SOURCES)}")
    at += ms(rng.randrange(20, 90))
    shell("lock acquired slot=1 retries=0")
    at += ms(rng.randrange(500, 1400))
    child("INFO", f"session loaded cookies=9 age={rng.randrange(1, 22)}h device=android-{decoy(rng, hexid(rng, 3))}"
                  f"{hexid(rng, 9)}")
    liked = served = 0
    for index, source in enumerate(SOURCES, 1):
        at += ms(rng.randrange(4000, 9000) if repaired else rng.randrange(300, 500))
        shell(f"source {index}/{len(SOURCES)} {source}")
        took = rng.randrange(90, 260) if limited else decoy(rng, rng.randrange(180, 980))
        at += ms(took)
        if limited:
            child("WARNING", f"client source={source} GET {source_url(source)} status=429 Too Many Requests "
                             f"in {took} ms", proof=True)
            continue
        if source == late:
            child("WARNING", f"client rate_limited status=429 source={source} wait=90s")
            at += ms(90000)
        child("INFO", f"client source={source} GET {source_url(source)} status=200 in {took} ms", proof=True)
        candidates = rng.randrange(6, 40)
        served += 1
        likes = rng.randrange(1, 6)
        liked += likes
        at += ms(likes * rng.randrange(7000, 12000))
        shell(f"{source} candidates={candidates} liked={likes} errors=0")
    at += ms(rng.randrange(100, 400))
    shell(f"coverage {served}/{len(SOURCES)}")
    at += ms(rng.randrange(5, 20))
    if limited:
        shell("全ソース取得失敗")
    else:
        shell(f"いいね完了 verified={liked} took {(at - begun).seconds}s run={run}")
    at += ms(rng.randrange(5, 20))
    shell("lock released slot=1")
    at += ms(rng.randrange(5, 20))
    shell(f"exit {1 if limited else 0}")


def sug_run(rng, log, at, limited):
    """Reads whom the account follows (pages of 50), then follows a few suggestions."""
    repaired = at >= day(10, zone=TOKYO)
    run = f"sug-{at:%m%d}-{decoy(rng, hexid(rng, 3))}{hexid(rng, 2)}"
    url = f"{API}/friendships/{ACCOUNT}/following/"
    begun = at

    def say(level, logger, text, proof=False):
        log.add(at, f"{python_stamp(at)} {level} {logger} {text}", proof, repaired)

    say("INFO", "ig_sug", f"run start run={run} account={ACCOUNT} budget=12 retries=0")
    at += ms(rng.randrange(600, 1500))
    say("INFO", "igapi.session", f"loaded cookies=9 age={rng.randrange(1, 22)}h error=None")
    at += ms(rng.randrange(300, 500))
    say("INFO", "ig_sug", f"following map: reading pages of 50 target={ACCOUNT}")
    at += ms(rng.randrange(120, 400))
    if limited:
        say("WARNING", "igapi.client", f"GET {url}?count=50 target={ACCOUNT} status=429 Too Many Requests",
            proof=True)
        at += ms(rng.randrange(3, 12))
        say("ERROR", "ig_sug", "following map取得失敗")
        at += ms(rng.randrange(2, 6))
        say("ERROR", "ig_sug", "run停止")
        return
    total = rng.randrange(400, 412)
    if repaired and begun.hour == 8 and begun.day == 11:
        say("WARNING", "igapi.client", f"rate_limited status=429 target={ACCOUNT} wait=90s")
        at += ms(90000)
    for have in [*range(50, total, 50), total]:
        took = decoy(rng, rng.randrange(200, 900))
        at += ms(took)
        say("INFO", "igapi.client", f"GET {url}?count=50&max_id={have} status=200 in {took} ms", proof=True)
        at += ms(rng.randrange(4000, 9000))
        say("INFO", "ig_sug", f"following map {have} entries, errors=0")
    done = rng.randrange(5, 13)
    for number in range(1, done + 1):
        at += ms(rng.randrange(20000, 50000))
        say("INFO", "ig_sug", f"followed {number}/12 user_id={decoy(rng, rng.randrange(100, 999))}"
                              f"{rng.randrange(10**6, 10**7)}")
    at += ms(rng.randrange(300, 900))
    say("INFO", "ig_sug", f"run end run={run} verified={done} seconds={(at - begun).seconds} errors=0")


# outreach-multi: enrich reads the profiles of the day's targets and writes a ledger; igjson reads the inbox.

CRAFTS = ["clay", "ink", "loom", "moss", "brass", "cedar", "linen", "salt", "wax", "reed", "slate", "wool"]
PLACES = ["works", "atelier", "no.ie", "daily", "studio", "lab"]


def outreach_multi():
    write("outreach-multi", [enrich_log(), igjson_log()])


def ledger(at, run, fields):
    return json.dumps({"ts": iso(at), "run": run} | fields, separators=(",", ":"))


def enrich_log():
    rng = random.Random("outreach-multi enrich")
    log = File("enrich.log")
    names = [f"{craft}.{place}" for craft, place in product(CRAFTS, PLACES)]
    total = 0
    for number, hour in product(range(8, 13), (0, 12)):
        targets = rng.sample(names, 24 if number < 10 else 18)
        start = day(number, hour, 10) + ms(rng.randrange(900, 5000))
        total += enrich_run(rng, log, start, targets, number < 10, total)
    return log


def enrich_run(rng, log, at, targets, limited, total):
    run = f"en-{at:%m%d%H}-{decoy(rng, hexid(rng, 3))}{hexid(rng, 2)}"
    begun = at
    late = set() if limited or begun.hour == 0 else set(rng.sample(targets, 1))

    def text(line):
        log.add(at, f"{iso(at)} {line}", repaired=not limited)

    def record(proof=False, **fields):
        log.add(at, ledger(at, run, fields), proof, not limited)

    text(f"run start run={run} targets={len(targets)} retries=0")
    for target in targets:
        at += ms(rng.randrange(40, 90))
        record(stage="collect", target=target, status="ok", posts=decoy(rng, rng.randrange(12, 900)), error=None)
    enriched = 0
    for target in targets:
        at += ms(rng.randrange(5000, 7000) if limited else rng.randrange(20000, 30000))
        took = decoy(rng, rng.randrange(90, 900))
        url = f"https://www.gram.example.com/api/v1/users/web_profile_info/?username={target}"
        if limited:
            record(proof=True, stage="http", target=target, url=url, status=429, ms=rng.randrange(90, 300))
            at += ms(rng.randrange(3, 20))
            record(stage="enrich", target=target, status="error")
            continue
        if target in late:
            record(stage="enrich", target=target, status="rate_limited", http_status=429, wait_s=120)
            at += ms(120000)
        record(stage="enrich", target=target, status="ok", followers=decoy(rng, rng.randrange(300, 9000)),
               ms=took, error=None)
        enriched += 1
    at += ms(rng.randrange(200, 700))
    kept = enriched * 2 // 3
    text(f"qualify run={run} in={len(targets)} kept={kept} dropped={len(targets) - kept}")
    sent = 0
    for target in targets[:kept and rng.randrange(kept // 3, kept - 2)]:
        at += ms(rng.randrange(40000, 70000))
        record(stage="dm", target=target, status="sent", chars=decoy(rng, rng.randrange(180, 420)), error=None)
        sent += 1
    at += ms(rng.randrange(100, 300))
    if sent:
        text(f"readback verified={sent} errors=0")
    text(f"run end run={run} messages={sent} total={total + sent} seconds={(at - begun).seconds} exit=0")
    return sent


INBOX_LENGTHS = {5: 388_914, 6: 397_206, 7: 512_558, 8: 512_558, 9: 512_558, 10: 512_558, 11: 516_307, 12: 519_870}


def igjson_log():
    """Once a day. The replies to a mailing of 6 August took the inbox past the program's limit."""
    rng = random.Random("outreach-multi igjson")
    log = File("igjson.log")
    for number, length in INBOX_LENGTHS.items():
        igjson_run(rng, log, day(number, 0, 40) + ms(rng.randrange(900, 5000)), length)
    return log


def igjson_run(rng, log, at, length):
    repaired = at.day >= 10
    limit = 400_000
    run = f"ij-{at:%m%d}-{hexid(rng, 4)}"
    begun = at

    def say(level, text, proof=False):
        log.add(at, f"{iso(at)} {level} igjson {text}", proof, repaired)

    say("INFO", f"run start run={run} account={ACCOUNT} retries=0")
    at += ms(rng.randrange(2000, 4000))
    say("INFO", "browser ready profile=3 errors=0")
    for step in range(1, rng.randrange(9, 14)):
        at += ms(rng.randrange(700, 1900))
        say("DEBUG", f"inbox scroll step={step} rows={step * 6} took {decoy(rng, rng.randrange(90, 700))} ms")
    at += ms(rng.randrange(900, 2200))
    say("INFO", f"inbox fetched account={ACCOUNT} error=null")
    at += ms(rng.randrange(2, 9))
    if not repaired:
        say("DEBUG", f"inbox text length={length} limit={limit} slice(0, {limit})", proof=True)
        if length > limit:
            at += ms(rng.randrange(2, 9))
            say("WARN", f"JSON.parse SyntaxError: Unterminated string in JSON at position {limit}")
            at += ms(rng.randrange(2, 9))
            log.add(at, ledger(at, run, {"stage": "igjson", "account": ACCOUNT, "error": "unparsable json"}))
            at += ms(rng.randrange(200, 400))
            say("INFO", f"run end run={run} threads=0 seconds={(at - begun).seconds}")
            return
    else:
        say("DEBUG", f"inbox parsed in the page, length={length}, nothing cut")
    threads = length // 13000 + rng.randrange(0, 4)
    for number in range(1, threads + 1):
        at += ms(rng.randrange(20, 90))
        say("INFO", f"thread {number}/{threads} id=t-{decoy(rng, rng.randrange(100, 999))}{hexid(rng, 6)} "
                    f"messages={rng.randrange(1, 60)} unread={rng.randrange(0, 3)}")
    at += ms(rng.randrange(200, 400))
    say("INFO", f"run end run={run} verified={threads} seconds={(at - begun).seconds} errors=0")


def main():
    watch_arb()
    watch_arb_bootstrap()
    social_autolike()
    outreach_multi()


if __name__ == "__main__":
    main()
