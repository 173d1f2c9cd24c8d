//! Which code points are taken out of a text, and which may stay next to what.

/// The class of a code point that no text may keep, or `None` when it stays or depends on its neighbours.
///
/// The classes are at least those of the safety floor that readers of staged text rely on; the rest are code points that
/// nobody sees and that carry hidden text as well.
pub(super) fn unsafe_class(c: char) -> Option<&'static str> {
    Some(match c {
        '\0' => "null-byte",
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => "zero-width",
        // Soft hyphen, grapheme joiner, fillers and vowels without a shape: invisible, so the same class.
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{3164}'
        | '\u{ffa0}' => "zero-width",
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => "bidi-override",
        // Selectors of ideographs and the first fourteen: no emoji needs them, and they carry bytes unseen.
        '\u{fe00}'..='\u{fe0d}' | '\u{e0100}'..='\u{e01ef}' => "variation-selector",
        '\u{e0000}'..='\u{e0fff}' => "tag-char",
        '\u{fff9}'..='\u{fffb}' => "interlinear",
        '\t' | '\n' => return None,
        '\u{206a}'..='\u{206f}' | '\u{2065}' | '\u{fff0}'..='\u{fff8}' | '\u{13430}'..='\u{1343f}' => "other-control",
        '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' => "other-control",
        c if c.is_control() || is_noncharacter(c) => "other-control",
        _ => return None,
    })
}

/// The class of a code point that stays only next to certain others.
pub(super) fn conditional_class(c: char) -> Option<&'static str> {
    match c {
        '\u{200c}'..='\u{200f}' | '\u{61c}' => Some("zero-width"),
        '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe0e}' | '\u{fe0f}' => Some("variation-selector"),
        _ => None,
    }
}

/// The three flags of subdivisions that are recommended for interchange (England, Scotland, Wales), as the tags behind a black flag
/// spell them. No other sequence of tags is a spelling of anything.
const FLAGS: [&str; 3] = [
    "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// The bytes of the tags at the beginning of a text that make a flag of the black one before them.
pub(super) fn flag_len(before: &str, text: &str) -> Option<usize> {
    let tags = FLAGS.iter().find(|tags| text.starts_with(**tags))?;
    before.ends_with('\u{1f3f4}').then_some(tags.len())
}

/// Whether a code point is a tag, of which a bound may leave a part only together with the rest.
pub(super) fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0020}'..='\u{e007e}')
}

fn is_noncharacter(c: char) -> bool {
    let code = u32::from(c);
    code & 0xfffe == 0xfffe || (0xfdd0..=0xfdef).contains(&code)
}

/// Letters of scripts whose letters join or stack, where ZWJ and ZWNJ are part of the spelling.
pub(super) fn is_joining_letter(c: char) -> bool {
    matches!(c,
        '\u{620}'..='\u{6ff}' | '\u{710}'..='\u{77f}' | '\u{840}'..='\u{8ff}' | '\u{fb50}'..='\u{fdcf}' | '\u{fe70}'..='\u{fefc}'
        | '\u{900}'..='\u{dff}' | '\u{f00}'..='\u{109f}' | '\u{1780}'..='\u{17b3}' | '\u{17b6}'..='\u{17ff}'
        | '\u{1b00}'..='\u{1bff}' | '\u{a8e0}'..='\u{a8ff}' | '\u{11000}'..='\u{117ff}')
        || is_mongolian(c)
}

/// Mongolian letters, which have selectors of their own.
pub(super) fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1820}'..='\u{18aa}')
}

/// Letters that are written from right to left, where LRM, RLM and ALM order the neighbourhood.
pub(super) fn is_right_to_left(c: char) -> bool {
    matches!(c,
        '\u{5be}'..='\u{5f4}' | '\u{620}'..='\u{6ff}' | '\u{710}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// Skin tones, which stand between a pictograph and a joiner.
pub(super) fn is_skin_tone(c: char) -> bool {
    matches!(c, '\u{1f3fb}'..='\u{1f3ff}')
}

/// Pictographs that emoji sequences are made of (Unicode's property `Extended_Pictographic`, unassigned included).
pub(super) fn is_pictograph(c: char) -> bool {
    match c {
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' => true,
        '\u{2000}'..='\u{2bff}' => is_symbol(c),
        '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' => true,
        '\u{1f000}'..='\u{1f0ff}' | '\u{1f10d}'..='\u{1f10f}' | '\u{1f12f}' | '\u{1f16c}'..='\u{1f171}' => true,
        '\u{1f17e}' | '\u{1f17f}' | '\u{1f18e}' | '\u{1f191}'..='\u{1f19a}' | '\u{1f1ad}'..='\u{1f1e5}' => true,
        '\u{1f201}'..='\u{1f20f}' | '\u{1f21a}' | '\u{1f22f}' | '\u{1f232}'..='\u{1f23a}' => true,
        '\u{1f23c}'..='\u{1f23f}' | '\u{1f249}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1f53d}' => true,
        '\u{1f546}'..='\u{1f64f}' | '\u{1f680}'..='\u{1f6ff}' | '\u{1f774}'..='\u{1f77f}' => true,
        '\u{1f7d5}'..='\u{1f7ff}' | '\u{1f80c}'..='\u{1f80f}' | '\u{1f848}'..='\u{1f84f}' => true,
        '\u{1f85a}'..='\u{1f85f}' | '\u{1f888}'..='\u{1f88f}' | '\u{1f8ae}'..='\u{1f8ff}' => true,
        '\u{1f90c}'..='\u{1f93a}' | '\u{1f93c}'..='\u{1f945}' | '\u{1f947}'..='\u{1faff}' => true,
        _ => matches!(c, '\u{1fc00}'..='\u{1fffd}'),
    }
}

/// The pictographs among arrows, technical signs and dingbats.
fn is_symbol(c: char) -> bool {
    matches!(c,
        '\u{2194}'..='\u{2199}' | '\u{21a9}' | '\u{21aa}' | '\u{231a}' | '\u{231b}' | '\u{2328}' | '\u{2388}' | '\u{23cf}'
        | '\u{23e9}'..='\u{23f3}' | '\u{23f8}'..='\u{23fa}' | '\u{24c2}' | '\u{25aa}' | '\u{25ab}' | '\u{25b6}' | '\u{25c0}'
        | '\u{25fb}'..='\u{25fe}' | '\u{2600}'..='\u{2605}' | '\u{2607}'..='\u{2612}' | '\u{2614}'..='\u{2685}'
        | '\u{2690}'..='\u{2705}' | '\u{2708}'..='\u{2712}' | '\u{2714}' | '\u{2716}' | '\u{271d}' | '\u{2721}' | '\u{2728}'
        | '\u{2733}' | '\u{2734}' | '\u{2744}' | '\u{2747}' | '\u{274c}' | '\u{274e}' | '\u{2753}'..='\u{2755}' | '\u{2757}'
        | '\u{2763}'..='\u{2767}' | '\u{2795}'..='\u{2797}' | '\u{27a1}' | '\u{27b0}' | '\u{27bf}' | '\u{2934}' | '\u{2935}'
        | '\u{2b05}'..='\u{2b07}' | '\u{2b1b}' | '\u{2b1c}' | '\u{2b50}' | '\u{2b55}')
}
