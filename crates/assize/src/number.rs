//! Whole numbers on the command line. What is refused is told which numbers are wanted.

use std::any::TypeId;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Returns whether an argument is a whole number.
pub fn is_whole(parser: &clap::builder::ValueParser) -> bool {
    let types =
        [TypeId::of::<u8>(), TypeId::of::<u16>(), TypeId::of::<u32>(), TypeId::of::<u64>(), TypeId::of::<usize>()];
    types.iter().any(|whole| parser.type_id() == *whole)
}

/// Returns a parser of the whole numbers in a range.
pub fn whole<N>(range: RangeInclusive<N>) -> impl Fn(&str) -> Result<N, String> + Clone + Send + Sync + 'static
where
    N: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text: &str| {
        let number = text.parse::<N>().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("give a whole number from {} to {}", range.start(), range.end()))
    }
}

/// Returns a parser of the whole numbers from `least` on.
pub fn whole_from<N>(least: N) -> impl Fn(&str) -> Result<N, String> + Clone + Send + Sync + 'static
where
    N: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text: &str| match text.parse::<N>() {
        Ok(number) if number >= least => Ok(number),
        Err(_) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            Err("the number is too large".to_owned())
        }
        _ => Err(format!("give a whole number, {least} or more")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_holds_on_both_sides() {
        let read = whole(1..=10_u32);
        assert_eq!((read("1"), read("10")), (Ok(1), Ok(10)));
        for text in ["0", "11", "-1", "1.5", "abc", "", "99999999999999999999"] {
            assert_eq!(read(text), Err("give a whole number from 1 to 10".to_owned()), "{text}");
        }
    }

    #[test]
    fn a_number_without_a_largest_has_a_least() {
        let read = whole_from(1_u64);
        assert_eq!((read("1"), read("18446744073709551615")), (Ok(1), Ok(u64::MAX)));
        for text in ["0", "-1", "1.5", "abc", ""] {
            assert_eq!(read(text), Err("give a whole number, 1 or more".to_owned()), "{text}");
        }
        assert_eq!(read("18446744073709551616"), Err("the number is too large".to_owned()));
    }
}
