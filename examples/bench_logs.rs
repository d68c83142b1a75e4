//! Makes a log of a given size for the speed benchmark: mixed programs, a given share of failures, and ordinary
//! lines full of decoys (`"error":null`, `errors=0`, `retries=0`, `timeout=30`, `200`, `done`, ids that hold 429).
//!
//! ```text
//! cargo run --release --example bench_logs -- text 1000 big.log [--failures 0.01] [--unique]
//! cargo run --release --example bench_logs -- jsonl 1000 big.jsonl
//! ```
//!
//! The same arguments give the same bytes on every machine: no clock, no random crate. With `--unique` every failure
//! has a name of its own, which is the worst case for what the scan keeps.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

/// The first instant, in milliseconds since 1970: 2026-08-03T00:00:00Z.
const START: u64 = 1_785_715_200_000;
const DAY: u64 = 86_400_000;

/// A linear congruential generator (Knuth's MMIX constants); the high bits are used.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len() as u64) as usize]
    }
}

/// What a record varies by.
struct Draw {
    /// Milliseconds since 1970.
    now: u64,
    /// An id that sometimes holds the digits of a status.
    id: u64,
    /// Small numbers.
    n: u64,
    ms: u64,
    shop: &'static str,
    /// Letters that no other record has; empty unless names are to be unique.
    tag: String,
}

const SHOPS: &[&str] = &[
    "rakuten",
    "surugaya",
    "amiami",
    "mandarake",
    "yahoo",
    "mercari",
    "lashinbang",
    "otamart",
];
const PATHS: &[&str] = &[
    "/api/items",
    "/api/orders",
    "/healthz",
    "/static/app.js",
    "/search",
];

struct Maker {
    dice: Dice,
    now: u64,
    made: u64,
    unique: bool,
}

impl Maker {
    fn draw(&mut self) -> Draw {
        self.now += 1 + self.dice.roll(40);
        self.made += 1;
        let id = match self.dice.roll(8) {
            0 => 429_000 + self.dice.roll(1000),
            1 => 1_000_503 + 1000 * self.dice.roll(1000),
            _ => 1_000_000 + self.dice.roll(9_000_000),
        };
        let tag = if self.unique {
            letters(self.made)
        } else {
            String::new()
        };
        Draw {
            now: self.now,
            id,
            n: self.dice.roll(60),
            ms: 3 + self.dice.roll(900),
            shop: self.dice.pick(SHOPS),
            tag,
        }
    }
}

/// A number in letters: masks leave it alone.
fn letters(mut n: u64) -> String {
    let mut out = String::from(" q");
    while n > 0 {
        out.push(char::from(b'a' + (n % 20) as u8));
        n /= 20;
    }
    out
}

/// An instant as `YYYY-MM-DD`, `HH:MM:SS` and milliseconds. The days lie in August to December 2026.
fn civil(ms: u64) -> (String, String, u64) {
    const LENGTHS: [u64; 5] = [31, 30, 31, 30, 31];
    let (mut day, mut month) = (2 + (ms - START) / DAY, 0);
    while day >= LENGTHS[month % 5] {
        day -= LENGTHS[month % 5];
        month = (month + 1) % 5;
    }
    let s = ms / 1000 % 86_400;
    (
        format!("2026-{:02}-{:02}", month + 8, day + 1),
        format!("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60),
        ms % 1000,
    )
}

fn text_line(out: &mut impl Write, kind: u64, d: &Draw, dice: &mut Dice) -> std::io::Result<()> {
    let (date, time, ms) = civil(d.now);
    let Draw {
        id,
        n,
        ms: took,
        shop,
        ..
    } = d;
    match kind {
        0 => match dice.roll(4) {
            0 => writeln!(
                out,
                "{date} {time},{ms:03} INFO shop.crawler: fetched shop={shop} page={n} items=40 took={took}ms retries=0 timeout=30"
            ),
            1 => writeln!(
                out,
                "{date} {time},{ms:03} INFO shop.store: stored {n} items of {shop}, 0 errors, 0 failed, id={id}"
            ),
            2 => writeln!(
                out,
                "{date} {time},{ms:03} DEBUG urllib3.connectionpool: https://{shop}.example:443 \"GET /list?page={n} HTTP/1.1\" 200 {id}"
            ),
            _ => writeln!(
                out,
                "{date} {time},{ms:03} INFO shop.run: done shop={shop} status=done errors=0 warnings=0 elapsed={took}.{n:02}s"
            ),
        },
        1 => {
            let (path, bytes) = (dice.pick(PATHS), 200 + id % 9000);
            let (y, m, day) = (
                &date[..4],
                if &date[5..7] == "08" { "Aug" } else { "Sep" },
                &date[8..],
            );
            writeln!(
                out,
                "10.0.{n}.{} - - [{day}/{m}/{y}:{time} +0000] \"GET {path}/{id} HTTP/1.1\" 200 {bytes} \"-\" \"Mozilla/5.0 (X11; Linux x86_64)\" {took}",
                took % 250
            )
        }
        2 => match dice.roll(2) {
            0 => writeln!(
                out,
                "time={date}T{time}.{ms:03}Z level=info msg=\"order stored\" id=ord-{id} shop={shop} errors=0 retries=0 timeout=30 dur={took}ms"
            ),
            _ => writeln!(
                out,
                "time={date}T{time}.{ms:03}Z level=debug msg=\"cache hit\" key={shop}:{id} error=null ttl={took} status=200"
            ),
        },
        3 => writeln!(
            out,
            "I{}{} {time}.{ms:03}456       1 reconciler.go:{}] \"Volume attached\" pod=\"default/web-{n}\" node=\"node-{}\" status=\"done\" took=\"{took}ms\"",
            &date[5..7],
            &date[8..],
            200 + n,
            n % 7
        ),
        4 => match dice.roll(2) {
            0 => writeln!(
                out,
                "{date}T{time}.{ms:03}Z  INFO 1 --- [nio-8080-exec-{}] c.e.orders.OrderService                  : order {id} accepted, status=done, error=null, total={took}.00",
                n % 10
            ),
            _ => writeln!(
                out,
                "{date}T{time}.{ms:03}Z DEBUG 1 --- [   scheduling-1] c.e.orders.SweepJob                      : sweep of {shop} done, 0 expired, 0 retried, {n} kept"
            ),
        },
        _ => {
            let what = match dice.roll(20) {
                0 => "Deactivated successfully, exit code 0",
                _ => "Reloaded, 0 units changed",
            };
            writeln!(
                out,
                "{} {:>2} {time} web-{} systemd[1]: session-{id}.scope: {what} after {took} ms.",
                if &date[5..7] == "08" { "Aug" } else { "Sep" },
                date[8..].trim_start_matches('0'),
                n % 9
            )
        }
    }
}

fn text_failure(out: &mut impl Write, kind: u64, d: &Draw, dice: &mut Dice) -> std::io::Result<()> {
    let (date, time, ms) = civil(d.now);
    let Draw {
        id,
        n,
        ms: took,
        shop,
        tag,
        ..
    } = d;
    match kind {
        0 => match dice.roll(3) {
            0 => write!(
                out,
                "{date} {time},{ms:03} ERROR shop.crawler: extract_failed{tag} shop={shop} page={n}\nTraceback (most recent call last):\n  File \"/app/shop/crawler.py\", line {n}, in fetch\n    response.raise_for_status()\n  File \"/usr/lib/python3.12/site-packages/requests/models.py\", line 1024, in raise_for_status\n    raise HTTPError(http_error_msg, response=self)\nrequests.exceptions.HTTPError: 429 Client Error: Too Many Requests for url: https://{shop}.example/list?page={n}\n"
            ),
            1 => writeln!(
                out,
                "{date} {time},{ms:03} WARNING shop.crawler: retrying{tag} shop={shop} attempt {} of 5 after ReadTimeout: HTTPSConnectionPool(host='{shop}.example', port=443): Read timed out. (read timeout=30)",
                n % 5 + 1
            ),
            _ => writeln!(
                out,
                "{date} {time},{ms:03} ERROR shop.run: run failed{tag} shop={shop}: all sources failed after {took}s"
            ),
        },
        1 => writeln!(
            out,
            "{}/{}/{} {time} [error] 31#31: *{id} upstream timed out{tag} (110: Connection timed out) while reading response header from upstream, client: 10.0.{n}.4, server: shop.example, request: \"GET /api/items HTTP/1.1\", upstream: \"http://10.1.0.{n}:8080/api/items\", host: \"shop.example\"",
            &date[..4],
            &date[5..7],
            &date[8..]
        ),
        2 => writeln!(
            out,
            "time={date}T{time}.{ms:03}Z level=error msg=\"store failed{tag}\" id=ord-{id} shop={shop} err=\"dial tcp 10.2.0.{n}:5432: connect: connection refused\" dur={took}ms"
        ),
        3 => writeln!(
            out,
            "E{}{} {time}.{ms:03}456       1 reconciler.go:{}] \"Volume attach failed{tag}\" err=\"rpc error: code = DeadlineExceeded desc = context deadline exceeded\" pod=\"default/web-{n}\"",
            &date[5..7],
            &date[8..],
            200 + n
        ),
        4 => write!(
            out,
            "{date}T{time}.{ms:03}Z ERROR 1 --- [nio-8080-exec-{}] c.e.orders.OrderService                  : order {id} not accepted{tag}\njava.net.SocketTimeoutException: Read timed out\n\tat java.base/sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:278)\n\tat c.e.orders.OrderService.accept(OrderService.java:{n})\n",
            n % 10
        ),
        _ => writeln!(
            out,
            "{} {:>2} {time} web-{} systemd[1]: backup.service{tag}: Main process exited, code=exited, status=1/FAILURE",
            if &date[5..7] == "08" { "Aug" } else { "Sep" },
            date[8..].trim_start_matches('0'),
            n % 9
        ),
    }
}

fn json_line(out: &mut impl Write, kind: u64, d: &Draw, dice: &mut Dice) -> std::io::Result<()> {
    let (
        now,
        Draw {
            id,
            n,
            ms: took,
            shop,
            ..
        },
    ) = (d.now, d);
    match (kind, dice.roll(2)) {
        (0, 0) => writeln!(
            out,
            "{{\"level\":30,\"time\":{now},\"pid\":41,\"hostname\":\"w-{}\",\"reqId\":\"req-{id}\",\"msg\":\"items stored\",\"shop\":\"{shop}\",\"items\":{n},\"error\":null,\"errors\":0,\"retries\":0,\"timeout\":30,\"status\":\"done\"}}",
            n % 9
        ),
        (0, _) => writeln!(
            out,
            "{{\"level\":30,\"time\":{now},\"pid\":41,\"hostname\":\"w-{}\",\"req\":{{\"id\":\"{id}\",\"method\":\"GET\",\"url\":\"/api/items/{n}\"}},\"res\":{{\"statusCode\":200}},\"responseTime\":{took},\"msg\":\"request completed\"}}",
            n % 9
        ),
        (_, 0) => writeln!(
            out,
            "{{\"level\":\"info\",\"ts\":{}.{:03},\"caller\":\"sync/job.go:{n}\",\"msg\":\"batch kept, done\",\"job_id\":\"job-{id}\",\"shop\":\"{shop}\",\"failed\":0,\"error\":\"\",\"duration\":0.{took:03},\"code\":200}}",
            now / 1000,
            now % 1000
        ),
        (_, _) => writeln!(
            out,
            "{{\"level\":\"debug\",\"ts\":{}.{:03},\"caller\":\"cache/lru.go:{n}\",\"msg\":\"hit\",\"key\":\"{shop}:{id}\",\"ttl\":{took},\"exception\":null,\"attempts\":1}}",
            now / 1000,
            now % 1000
        ),
    }
}

fn json_failure(out: &mut impl Write, kind: u64, d: &Draw, dice: &mut Dice) -> std::io::Result<()> {
    let (
        now,
        Draw {
            id,
            n,
            ms: took,
            shop,
            tag,
            ..
        },
    ) = (d.now, d);
    match (kind, dice.roll(3)) {
        (0, 0) => writeln!(
            out,
            "{{\"level\":50,\"time\":{now},\"pid\":41,\"hostname\":\"w-{}\",\"reqId\":\"req-{id}\",\"err\":{{\"type\":\"FetchError\",\"message\":\"request to https://{shop}.example/list failed, reason: getaddrinfo EAI_AGAIN {shop}.example\",\"stack\":\"FetchError: request to https://{shop}.example/list failed\\n    at ClientRequest.<anonymous> (/app/node_modules/node-fetch/lib/index.js:1505:11)\\n    at ClientRequest.emit (node:events:519:28)\",\"code\":\"EAI_AGAIN\"}},\"msg\":\"extract failed{tag}\"}}",
            n % 9
        ),
        (0, 1) => writeln!(
            out,
            "{{\"level\":40,\"time\":{now},\"pid\":41,\"hostname\":\"w-{}\",\"reqId\":\"req-{id}\",\"shop\":\"{shop}\",\"attempt\":{},\"delayMs\":{took},\"statusCode\":503,\"msg\":\"retrying{tag} after 503 Service Unavailable\"}}",
            n % 9,
            n % 5 + 1
        ),
        (0, _) => writeln!(
            out,
            "{{\"level\":50,\"time\":{now},\"pid\":41,\"hostname\":\"w-{}\",\"reqId\":\"req-{id}\",\"shop\":\"{shop}\",\"reason\":\"parse_error\",\"msg\":\"Unexpected end of JSON input{tag}\"}}",
            n % 9
        ),
        (_, 0) => writeln!(
            out,
            "{{\"level\":\"error\",\"ts\":{}.{:03},\"caller\":\"sync/job.go:{n}\",\"msg\":\"job failed{tag}\",\"job_id\":\"job-{id}\",\"shop\":\"{shop}\",\"error\":\"Get \\\"https://{shop}.example/list\\\": context deadline exceeded\",\"stacktrace\":\"main.(*Job).Run\\n\\t/src/sync/job.go:{n}\\nmain.main\\n\\t/src/main.go:31\"}}",
            now / 1000,
            now % 1000
        ),
        (_, 1) => writeln!(
            out,
            "{{\"level\":\"error\",\"ts\":{}.{:03},\"caller\":\"sync/api.go:{n}\",\"msg\":\"api call rejected{tag}\",\"job_id\":\"job-{id}\",\"shop\":\"{shop}\",\"status\":401,\"error\":\"token expired\"}}",
            now / 1000,
            now % 1000
        ),
        (_, _) => writeln!(
            out,
            "{{\"level\":\"warn\",\"ts\":{}.{:03},\"caller\":\"sync/api.go:{n}\",\"msg\":\"rate limited{tag}\",\"job_id\":\"job-{id}\",\"shop\":\"{shop}\",\"status\":429,\"retry_after\":{took}}}",
            now / 1000,
            now % 1000
        ),
    }
}

fn make(kind: &str, bytes: u64, path: &str, failures: f64, unique: bool) -> std::io::Result<()> {
    let mut out = Counted {
        inner: BufWriter::with_capacity(1 << 20, File::create(path)?),
        written: 0,
    };
    let mut maker = Maker {
        dice: Dice(42),
        now: START,
        made: 0,
        unique,
    };
    // Out of a million records.
    let share = (failures * 1e6) as u64;
    let (mut program, mut left) = (0, 0);
    while out.written < bytes {
        if left == 0 {
            // A collector writes what one program says in bursts.
            program = maker.dice.roll(6);
            left = 1 + maker.dice.roll(40);
        }
        left -= 1;
        let draw = maker.draw();
        let failing = maker.dice.roll(1_000_000) < share;
        let dice = &mut maker.dice;
        match (kind, failing) {
            ("text", false) => text_line(&mut out, program, &draw, dice)?,
            ("text", true) => text_failure(&mut out, program, &draw, dice)?,
            (_, false) => json_line(&mut out, program % 2, &draw, dice)?,
            (_, true) => json_failure(&mut out, program % 2, &draw, dice)?,
        }
    }
    out.flush()
}

struct Counted<W> {
    inner: W,
    written: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        let got = self.inner.write(buf)?;
        self.written += got as u64;
        Ok(got)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let unique = args.iter().any(|a| a == "--unique");
    args.retain(|a| a != "--unique");
    let failures = match args.iter().position(|a| a == "--failures") {
        Some(at) if at + 1 < args.len() => {
            args.drain(at..at + 2).nth(1).and_then(|f| f.parse().ok())
        }
        Some(_) => None,
        None => Some(0.01),
    };
    match (args.as_slice(), failures) {
        ([kind, size, path], Some(failures)) if kind == "text" || kind == "jsonl" => {
            let Ok(megabytes) = size.parse::<u64>() else {
                eprintln!("{size}: a number of megabytes (10^6 bytes)");
                return ExitCode::from(2);
            };
            match make(kind, megabytes * 1_000_000, path, failures, unique) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    eprintln!("{path}: {error}");
                    ExitCode::from(2)
                }
            }
        }
        _ => {
            eprintln!("usage: bench_logs text|jsonl MEGABYTES FILE [--failures SHARE] [--unique]");
            ExitCode::from(2)
        }
    }
}
