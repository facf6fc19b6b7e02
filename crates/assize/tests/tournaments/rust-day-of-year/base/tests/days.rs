use calendar::{date_of, day_of_year, days_between, is_leap};

#[test]
fn days_of_ordinary_years() {
    assert_eq!(day_of_year(2023, 1, 1), Some(1));
    assert_eq!(day_of_year(2023, 12, 31), Some(365));
    assert_eq!(day_of_year(2024, 12, 31), Some(366));
}

#[test]
fn leap_years() {
    for (year, leap) in [
        (2024, true),
        (2023, false),
        (1900, false),
        (2000, true),
        (2100, false),
    ] {
        assert_eq!(is_leap(year), leap, "{year}");
    }
    assert_eq!(day_of_year(1900, 12, 31), Some(365));
}

#[test]
fn back_again() {
    for year in [1900, 2000, 2023, 2024] {
        let mut day = 0;
        for month in 1..=12 {
            for of_month in 1..=31 {
                let Some(expected) = day_of_year(year, month, of_month) else {
                    continue;
                };
                day += 1;
                assert_eq!(expected, day);
                assert_eq!(date_of(year, day), Some((month, of_month)));
            }
        }
        assert_eq!(day, if is_leap(year) { 366 } else { 365 });
    }
}

#[test]
fn from_date_to_date() {
    assert_eq!(days_between((2024, 2, 28), (2024, 3, 1)), Some(2));
    assert_eq!(days_between((1970, 1, 1), (2000, 1, 1)), Some(10_957));
    assert_eq!(days_between((2000, 1, 1), (1970, 1, 1)), Some(-10_957));
    assert_eq!(days_between((1899, 12, 31), (2101, 1, 1)), Some(73_415));
}

#[test]
fn dates_that_do_not_exist() {
    for (year, month, day) in [(2023, 2, 29), (1900, 2, 29), (2024, 4, 31), (2024, 6, 32)] {
        assert_eq!(day_of_year(year, month, day), None, "{year}-{month}-{day}");
        assert_eq!(days_between((2024, 1, 1), (year, month, day)), None);
    }
}

#[test]
fn edge_zero_and_beyond_the_bounds() {
    for (month, day) in [(0, 1), (13, 1), (1, 0), (1, u32::MAX), (u32::MAX, 1)] {
        assert_eq!(day_of_year(2024, month, day), None);
    }
    assert_eq!(date_of(2024, 0), None);
    assert_eq!(date_of(2024, 367), None);
    assert_eq!(date_of(2023, 366), None);
    assert_eq!(date_of(2024, 366), Some((12, 31)));
}

#[test]
fn edge_years_at_the_limits() {
    assert_eq!(day_of_year(9999, 12, 31), Some(365));
    assert_eq!(day_of_year(10_000, 1, 1), None);
    assert_eq!(date_of(-10_000, 1), None);
    assert_eq!(days_between((-9999, 1, 1), (9999, 12, 31)), Some(7_304_483));
    assert_eq!(days_between((i32::MIN, 1, 1), (i32::MAX, 1, 1)), None);
}

#[test]
fn edge_negative_years_and_zero() {
    assert!(is_leap(0) && is_leap(-4) && is_leap(-400) && !is_leap(-100) && !is_leap(-1));
    assert_eq!(days_between((-1, 12, 31), (1, 1, 1)), Some(367));
    assert_eq!(days_between((-5, 3, 1), (-4, 3, 1)), Some(366));
}
