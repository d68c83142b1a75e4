use super::*;

const SETTINGS: &str = r#"
[lanes.taught]
paths = ["odd/*.txt"]
[lanes.night-shift]
paths = ["**/night.log"]
[lanes.labelled]
paths = ["logs/top.txt"]
"#;

#[test]
fn lanes_of_names() -> anyhow::Result<()> {
    let lanes = Lanes::new(&Settings::parse("f", SETTINGS)?)?;
    let table = include_str!("../../../../tests/data/lanes.tsv");
    let mut wrong = Vec::new();
    for row in table.lines().filter(|l| !l.starts_with('#')) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [given, name, expected] = cells[..] else {
            anyhow::bail!("three cells: {row:?}");
        };
        let given = Given {
            dir: given != "file",
            label: if given == "file" { name } else { "logs" },
            several: given == "several",
        };
        let lane = lanes.lane_of(name, given);
        if lane != expected {
            wrong.push(format!("{name}: {lane}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn selects() {
    let known = ["watch-arb", "watch-shop", "crawl", "odd[1]"];
    for (globs, expected) in [
        (&[][..], Ok("crawl odd[1] watch-arb watch-shop")),
        (&["watch-*"], Ok("watch-arb watch-shop")),
        (&["crawl", "watch-arb"], Ok("crawl watch-arb")),
        (&["odd[1]"], Ok("odd[1]")),
        (
            &["crawl", "watch-arbb"],
            Err(
                "no lane matches `watch-arbb`; did you mean `watch-arb`?\nthe lanes are: crawl, odd[1], watch-arb, watch-shop",
            ),
        ),
        (
            &["nothing*"],
            Err("no lane matches `nothing*`\nthe lanes are: crawl, odd[1], watch-arb, watch-shop"),
        ),
    ] {
        let globs: Vec<String> = globs.iter().map(|g| (*g).to_owned()).collect();
        let found = select(&globs, &known)
            .map(|s| s.into_iter().collect::<Vec<_>>().join(" "))
            .map_err(|e| e.to_string());
        assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned));
    }
    let none: [&str; 0] = [];
    assert!(select(&["x".to_owned()], &none).is_err());
    assert!(select(&["[".to_owned()], &known).is_err());
}
