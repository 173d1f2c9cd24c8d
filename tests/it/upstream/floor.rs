//! What the filter takes out in this layout alone.

use git_docket::filter::Filter;
use git_docket::format::profile::OnFinding;
use git_docket::format::upstream::has_floor_char;
use proptest::prelude::*;

fn filter() -> Filter {
    Filter::new(OnFinding::Withhold).expect("the tables are sound").to_the_floor()
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
