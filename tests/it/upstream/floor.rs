//! What the filter takes out in this layout alone.

use git_docket::filter::{Filter, floor_classes};
use git_docket::format::profile::OnFinding;
use git_docket::format::upstream::has_floor_char;
use proptest::prelude::*;

fn filter() -> Filter {
    Filter::new(OnFinding::Withhold).expect("the tables are sound").to_the_floor()
}

#[test]
fn numbers_of_cards_accounts_and_persons_are_redacted() {
    let filter = filter();
    let rows: [(&str, &str, &[&str]); 3] = [
        (
            "payment-card",
            "4111111111111111 5555 5555 5555 4444 3782-822463-10005 4111-1111-1111-1111, 6011111111111117.",
            &[
                "4111111111111112",
                "1234567890123456",
                "1700000000000",
                "id4111111111111111",
                "41111111111111111111",
                "v4111111111111111",
            ],
        ),
        (
            "iban",
            "DE89370400440532013000 GB29 NWBK 6016 1331 9268 19 NL91ABNA0417164300",
            &["DE88370400440532013000", "GB29NWBK6016133192681", "XX89370400440532013000", "DE8937040044053201300A"],
        ),
        (
            "social-security-number",
            "078-05-1120 (219-09-9999)",
            &[
                "000-12-3456",
                "666-12-3456",
                "912-34-5678",
                "123-00-4567",
                "123-45-0000",
                "2026-01-02",
                "1123-45-6789",
                "123-45-67890",
            ],
        ),
    ];
    for (class, yes, no) in rows {
        let found = filter.clean(yes, None).expect("no detector fails");
        assert!(found.findings.contains_key(class), "{yes}: {found:?}");
        assert!(found.text.split_whitespace().all(|word| word.contains("[redacted:")), "{}", found.text);
        assert_eq!(filter.clean(&found.text, None).expect("no detector fails").text, found.text);
        for text in no {
            let found = filter.clean(text, None).expect("no detector fails");
            assert!(found.findings.is_empty(), "{text}: {found:?}");
        }
        let ordinary = Filter::new(OnFinding::Withhold).expect("the tables are sound");
        assert!(!ordinary.clean(yes, None).expect("no detector fails").findings.contains_key(class), "{class}");
    }
    assert_eq!(floor_classes().count(), 3);
}

proptest! {
    #[test]
    fn nothing_of_the_floor_is_left(text in any::<String>(), more in "[\u{200b}-\u{200f}\u{fe00}-\u{fe0f}a👩]{0,12}") {
        let filter = filter();
        let text = text + &more;
        let once = filter.clean(&text, None).expect("no detector fails");
        prop_assert!(!has_floor_char(&once.text), "{:?}", once.text);
        let twice = filter.clean(&once.text, None).expect("no detector fails");
        prop_assert_eq!(&twice.text, &once.text);
    }
}
