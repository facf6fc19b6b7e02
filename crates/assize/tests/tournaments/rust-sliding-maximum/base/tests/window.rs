use window::Window;

fn window(span: u64, values: &[(u64, f64)]) -> Window {
    let mut window = Window::new(span);
    for (tick, value) in values {
        assert!(window.push(*tick, *value));
    }
    window
}

#[test]
fn the_largest_value() {
    assert_eq!(
        window(10, &[(1, 3.0), (2, 5.0), (3, 4.0)]).largest(),
        Some(5.0)
    );
}

#[test]
fn old_values_leave() {
    let mut window = window(3, &[(1, 9.0), (2, 5.0), (3, 4.0)]);
    assert_eq!(window.largest(), Some(9.0));
    window.push(4, 1.0);
    assert_eq!(window.largest(), Some(5.0));
    window.push(6, 2.0);
    assert_eq!(window.largest(), Some(2.0));
}

#[test]
fn a_tick_may_have_several_values() {
    let mut window = window(2, &[(1, 4.0), (1, 7.0), (1, 5.0), (2, 6.0)]);
    assert_eq!(window.largest(), Some(7.0));
    window.advance(3);
    assert_eq!(window.largest(), Some(6.0));
}

#[test]
fn equal_values_leave_one_by_one() {
    let mut window = window(2, &[(1, 7.0), (2, 7.0)]);
    window.advance(3);
    assert_eq!(window.largest(), Some(7.0));
    window.advance(4);
    assert_eq!(window.largest(), None);
}

#[test]
fn time_does_not_go_backwards() {
    let mut window = window(5, &[(10, 1.0)]);
    assert!(!window.push(9, 8.0));
    assert!(!window.advance(9));
    assert!(window.advance(10));
    assert_eq!(window.largest(), Some(1.0));
    window.advance(20);
    assert!(!window.push(19, 8.0));
    assert_eq!(window.largest(), None);
}

#[test]
fn it_agrees_with_looking_through_all() {
    let mut window = Window::new(17);
    let mut all: Vec<(u64, f64)> = Vec::new();
    let mut state = 12345_u64;
    for step in 0..2000 {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let (tick, value) = (step / 2, (state >> 40) as f64 - 8e6);
        all.push((tick, value));
        assert!(window.push(tick, value));
        let inside = all.iter().filter(|(old, _)| old + 17 > tick);
        assert_eq!(
            window.largest(),
            inside.map(|(_, value)| *value).reduce(f64::max)
        );
    }
}

#[test]
fn edge_empty_window() {
    assert_eq!(Window::new(3).largest(), None);
    assert!(Window::new(3).push(0, 1.0));
}

#[test]
fn edge_zero_span_keeps_none() {
    let mut window = Window::new(0);
    assert!(window.push(1, 5.0));
    assert_eq!(window.largest(), None);
}

#[test]
fn edge_maximum_ticks_do_not_overflow() {
    let mut window = window(u64::MAX, &[(0, 3.0), (u64::MAX - 1, 1.0)]);
    assert_eq!(window.largest(), Some(3.0));
    window.advance(u64::MAX);
    assert_eq!(window.largest(), Some(1.0));
}

#[test]
fn edge_nan_and_infinity() {
    let mut window = window(5, &[(1, f64::NEG_INFINITY)]);
    assert!(!window.push(2, f64::NAN));
    assert_eq!(window.largest(), Some(f64::NEG_INFINITY));
    assert!(window.push(1, f64::INFINITY));
    assert_eq!(window.largest(), Some(f64::INFINITY));
}
