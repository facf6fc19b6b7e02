//! Programming languages.

use std::fmt;

use assize_core::path::ending;
use serde::{Deserialize, Serialize};

macro_rules! languages {
    ($($language:ident $id:literal $name:literal [$($extension:literal)*])*) => {
        /// A programming language.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "lowercase")]
        pub enum Language {
            $(#[doc = concat!($name, ".")] $language,)*
        }

        impl Language {
            /// Every language.
            pub const ALL: &'static [Self] = &[$(Self::$language),*];

            /// Returns the name that stands in JSON.
            pub fn id(self) -> &'static str {
                match self { $(Self::$language => $id),* }
            }

            /// Returns the name that people use.
            pub fn name(self) -> &'static str {
                match self { $(Self::$language => $name),* }
            }

            /// Returns the extensions of its files, without the dot.
            pub fn extensions(self) -> &'static [&'static str] {
                match self { $(Self::$language => &[$($extension),*]),* }
            }

            fn of_extension(extension: &str) -> Option<Self> {
                match extension {
                    $($($extension)|* => Some(Self::$language),)*
                    _ => None,
                }
            }
        }
    };
}

languages! {
    Rust "rust" "Rust" ["rs"]
    Python "python" "Python" ["py" "pyi"]
    JavaScript "javascript" "JavaScript" ["js" "jsx" "mjs" "cjs"]
    TypeScript "typescript" "TypeScript" ["ts" "mts" "cts"]
    Tsx "tsx" "TSX" ["tsx"]
    Go "go" "Go" ["go"]
    Java "java" "Java" ["java"]
    Kotlin "kotlin" "Kotlin" ["kt" "kts"]
    CSharp "csharp" "C#" ["cs"]
    Cpp "cpp" "C or C++" ["c" "h" "cc" "cpp" "cxx" "hpp" "hh"]
    Ruby "ruby" "Ruby" ["rb"]
    Php "php" "PHP" ["php"]
    Swift "swift" "Swift" ["swift"]
    Shell "shell" "Shell" ["sh" "bash" "zsh"]
}

impl Language {
    /// Tells the language of a file from its extension.
    pub fn of(path: &str) -> Option<Self> {
        Self::of_extension(ending(path)?)
    }

    /// Returns whether the language belongs to the JavaScript family.
    pub fn is_script(self) -> bool {
        matches!(self, Self::JavaScript | Self::TypeScript | Self::Tsx)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_tells_the_language() {
        assert_eq!(Language::of("a/b.tsx"), Some(Language::Tsx));
        assert_eq!(Language::of("a.kts"), Some(Language::Kotlin));
        assert_eq!(Language::of("Makefile"), None);
        assert_eq!(Language::of(".py"), None);
        for language in Language::ALL {
            for extension in language.extensions() {
                assert_eq!(Language::of(&format!("a.{extension}")), Some(*language));
            }
        }
    }
}
