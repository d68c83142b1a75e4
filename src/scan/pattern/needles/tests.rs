use super::*;

#[test]
fn failure_words_without_a_value_are_passed_over() {
    let needles = [Needle::failure("error"), Needle::failure("failed")];
    let all = Needles::new(needles.iter().zip(0..));
    for quiet in [
        "{\"error\":null,\"id\":4}",
        "errors=0 retries=0",
        "error=null",
        "0 failed, 12 ok",
        "no error",
        "error: 0",
        "\"failed\": [] ",
        "error_rate=0.1",
        "error=null ttl=199 status=200",
    ] {
        assert_eq!(all.find(quiet.as_bytes(), 0, quiet.len()), None, "{quiet}");
    }
    for loud in [
        "TimeoutError: x",
        "{\"error\":\"boom\"}",
        "10 failed",
        "extract_failed",
        "error=0x80070005",
        "ERROR boom",
        "error: null pointer",
        "1.0 failed",
    ] {
        assert!(all.find(loud.as_bytes(), 0, loud.len()).is_some(), "{loud}");
    }
}

#[test]
fn numbers_at_the_ends_do_not_go_on() {
    let needles = [
        Needle::written("code=32").whole_numbers(true),
        Needle::written("0 items").whole_numbers(true),
        Needle::failure("cannot "),
    ];
    let all = Needles::new(needles.iter().zip(0..));
    for (text, found) in [
        ("error_code=32", true),
        ("code=32, x", true),
        ("code=327", false),
        ("0 items", true),
        ("found 10 items", false),
        ("cannot open", true),
        ("cannotopen", false),
    ] {
        assert_eq!(
            all.find(text.as_bytes(), 0, text.len()).is_some(),
            found,
            "{text}"
        );
    }
}

#[test]
fn other_scripts_are_found_in_both_cases_and_escaped() {
    let needles = [Needle::written("取得失敗"), Needle::written("ошибка")];
    let all = Needles::new(needles.iter().zip(0..));
    for text in [
        "全ソース取得失敗",
        "\\u53d6\\u5f97\\u5931\\u6557",
        "ОШИБКА: нет",
        "Ошибка",
        "\\u041e\\u0448\\u0438\\u0431\\u043a\\u0430",
    ] {
        assert!(all.find(text.as_bytes(), 0, text.len()).is_some(), "{text}");
    }
}

#[test]
fn a_longer_needle_at_the_same_byte_is_not_hidden_by_a_guard() {
    let needles = [Needle::failure("error"), Needle::written("error:0a00")];
    let all = Needles::new(needles.iter().zip(0..));
    let text = "x error:0a00 y";
    assert!(all.find(text.as_bytes(), 0, text.len()).is_some());
}
