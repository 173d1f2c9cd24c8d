//! The number rule: which tokens are read, and how they are written.

use git_docket::format::json::{self, FaultKind, Json, Number};

/// The canonical text of a token, or the code of its refusal.
fn canon(token: &str) -> String {
    match json::canonical(token.as_bytes()) {
        Ok(bytes) => String::from_utf8(bytes).expect("canonical bytes are UTF-8"),
        Err(fault) => fault.kind.code().to_owned(),
    }
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (token, expected) in cases {
        assert_eq!(canon(token), *expected, "{token}");
    }
}

const OUT: &str = "json-number-out-of-range";

#[test]
fn integers_at_the_edges() {
    check(&[
        ("0", "0"),
        ("-0", "0"),
        ("-1", "-1"),
        ("999999999999999", "999999999999999"),
        ("1000000000000000", "1000000000000000"),
        ("9007199254740991", "9007199254740991"),
        ("9007199254740992", "9007199254740992"),
        ("-9007199254740992", "-9007199254740992"),
        // 2^53 + 1 has no double; 2^53 + 2 has, and its digits are what RFC 8785 writes.
        ("9007199254740993", OUT),
        ("-9007199254740993", OUT),
        ("9007199254740994", "9007199254740994"),
        // 2^63 and 2^64 are doubles, but RFC 8785 writes their shortest digits: other digits.
        ("9223372036854775807", OUT),
        ("9223372036854775808", OUT),
        ("9223372036854776000", "9223372036854776000"),
        ("18446744073709551615", OUT),
        ("18446744073709551616", OUT),
        ("18446744073709552000", "18446744073709552000"),
        ("578830487525366100", "578830487525366100"),
        ("100000000000000000000", "100000000000000000000"),
        ("999999999999999900000", "999999999999999900000"),
        // From 10^21 on RFC 8785 writes an exponent.
        ("1000000000000000000000", OUT),
    ]);
}

#[test]
fn huge_integer_tokens_are_refused_not_rounded() {
    assert_eq!(canon(&"9".repeat(400)), OUT);
    assert_eq!(canon(&format!("1{}", "0".repeat(10_000))), OUT);
}

#[test]
fn the_same_values_as_fraction_or_exponent_pass() {
    check(&[
        ("9007199254740993.0", "9007199254740992"),
        ("9007199254740992.0", "9007199254740992"),
        ("9007199254740993e0", "9007199254740992"),
        ("9.007199254740993e15", "9007199254740992"),
        ("18446744073709551616e0", "18446744073709552000"),
        ("5.788304875253661e17", "578830487525366100"),
        ("1e21", "1e+21"),
        ("1E+22", "1e+22"),
        ("1.0", "1"),
        ("100e-2", "1"),
        ("-0.0", "0"),
        ("-0e10", "0"),
        ("0e99999999999999999999", "0"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"),
        ("0.1", "0.1"),
        ("0.30000000000000004", "0.30000000000000004"),
        ("333333333.33333329", "333333333.3333333"),
    ]);
}

#[test]
fn the_ends_of_the_doubles() {
    check(&[
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("1.7976931348623158e308", "1.7976931348623157e+308"),
        ("1.7976931348623159e308", OUT),
        ("-1e309", OUT),
        ("1e400", OUT),
        ("2.2250738585072014e-308", "2.2250738585072014e-308"),
        ("2.2250738585072011e-308", "2.225073858507201e-308"),
        ("4.9406564584124654e-324", "5e-324"),
        ("5e-324", "5e-324"),
        ("3e-324", "5e-324"),
        ("2e-324", "0"),
        ("-1e-400", "0"),
        ("1e-99999999999999999999", "0"),
    ]);
}

#[test]
fn only_the_grammar_of_rfc_8259() {
    for token in [
        "01",
        "-01",
        "+1",
        ".5",
        "1.",
        "1.e1",
        "1e",
        "1e+",
        "-",
        "--1",
        "0x10",
        "1_000",
        "Infinity",
        "NaN",
        "-Infinity",
        "１",
    ] {
        assert_eq!(canon(token), "json-invalid", "{token}");
    }
}

#[test]
fn a_number_is_finite_and_has_one_zero() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(Number::new(value), None);
    }
    let zero = Number::new(-0.0).expect("zero is finite");
    assert!(zero.as_f64().is_sign_positive());
    assert_eq!(json::to_vec(&Json::Number(zero)), b"0");
}

#[test]
fn unsigned_integers_are_exact_below_two_to_the_53() {
    let read = |token: &str| json::parse(token.as_bytes()).expect("in the profile").as_u64();
    assert_eq!(read("9007199254740991"), Some(9_007_199_254_740_991));
    assert_eq!(read("9007199254740992"), None);
    assert_eq!(read("1.0"), Some(1));
    assert_eq!(read("-0"), Some(0));
    assert_eq!(read("-1"), None);
    assert_eq!(read("0.5"), None);
}

#[test]
fn a_lenient_reader_rounds_and_says_so() {
    let (value, breaches) = json::parse_lenient(b"[9007199254740993,1e400,1]").expect("it is JSON");
    assert_eq!(json::to_vec(&value), b"[9007199254740992,null,1]");
    let places: Vec<_> = breaches.iter().map(|breach| (breach.kind, breach.offset)).collect();
    assert_eq!(places, [(FaultKind::NumberOutOfRange, 1), (FaultKind::NumberOutOfRange, 18)]);
}
