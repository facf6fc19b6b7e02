use agenda::Agenda;

fn agenda(tasks: &[(u8, &str)]) -> Agenda {
    let mut agenda = Agenda::default();
    for (priority, task) in tasks {
        agenda.push(*priority, task);
    }
    agenda
}

fn all(mut agenda: Agenda) -> Vec<String> {
    std::iter::from_fn(|| agenda.pop()).collect()
}

#[test]
fn the_highest_priority_comes_first() {
    assert_eq!(
        all(agenda(&[(1, "low"), (9, "high"), (5, "middle")])),
        ["high", "middle", "low"]
    );
}

#[test]
fn equal_ones_come_as_they_came() {
    let tasks = [(5, "b"), (5, "c"), (7, "x"), (5, "a")];
    assert_eq!(all(agenda(&tasks)), ["x", "b", "c", "a"]);
}

#[test]
fn the_order_holds_in_between() {
    let mut agenda = agenda(&[(5, "z"), (5, "a")]);
    assert_eq!(agenda.pop().as_deref(), Some("z"));
    agenda.push(5, "0");
    assert_eq!(all(agenda), ["a", "0"]);
}

#[test]
fn priorities_change() {
    let mut agenda = agenda(&[(5, "a"), (5, "b"), (5, "c")]);
    assert!(agenda.reprioritize("c", 9));
    assert!(!agenda.reprioritize("d", 9));
    assert_eq!(all(agenda), ["c", "a", "b"]);
}

#[test]
fn a_task_keeps_its_place_among_equals() {
    let mut agenda = agenda(&[(1, "a"), (5, "b"), (5, "c")]);
    agenda.reprioritize("a", 5);
    assert_eq!(all(agenda), ["a", "b", "c"]);
}

#[test]
fn tasks_are_drained() {
    let mut agenda = agenda(&[(1, "a"), (5, "c"), (9, "d"), (5, "b")]);
    assert_eq!(agenda.drain_at_least(5), ["d", "c", "b"]);
    assert_eq!(agenda.len(), 1);
    assert_eq!(all(agenda), ["a"]);
}

#[test]
fn edge_empty_agenda() {
    let mut agenda = Agenda::default();
    assert!(agenda.is_empty());
    assert_eq!(agenda.pop(), None);
    assert!(agenda.drain_at_least(0).is_empty());
}

#[test]
fn edge_duplicate_tasks() {
    let mut agenda = agenda(&[(5, "x"), (5, "a"), (6, "x")]);
    assert!(agenda.reprioritize("x", 1));
    assert_eq!(all(agenda), ["x", "a", "x"]);
    let mut agenda = self::agenda(&[(3, "x"), (3, "a"), (3, "x")]);
    agenda.reprioritize("x", 2);
    assert_eq!(all(agenda), ["a", "x", "x"]);
}

#[test]
fn edge_minimum_and_maximum_priority() {
    let mut agenda = agenda(&[(0, "a"), (255, "b"), (0, "c")]);
    assert_eq!(agenda.drain_at_least(255), ["b"]);
    assert_eq!(agenda.drain_at_least(0), ["a", "c"]);
}
