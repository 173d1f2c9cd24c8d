//! Closed lists of words: an enum whose names are a contract, with the name in one place.

/// Declares an enum with `ALL`, `as_str` and serialisation as its name.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$about])* $variant,)* }

        impl $name {
            /// Every word, in the order of the documentation.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The stable name, the same in the type, reports and docs/format.md.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}

pub(super) use words;
