import pytest

from tasks.errors import CycleError
from tasks.order import build_order


def test_independent_tasks_are_sorted():
    assert build_order({"b": [], "a": [], "c": []}) == ["a", "b", "c"]


def test_what_is_needed_comes_first():
    assert build_order({"a": ["b"], "b": ["c"], "c": []}) == ["c", "b", "a"]


def test_a_task_that_is_only_needed_is_a_task():
    assert build_order({"a": ["z"]}) == ["z", "a"]


def test_the_alphabetically_first_comes_next():
    needs = {"app": ["lib", "css"], "docs": [], "lib": ["gen"], "zip": ["app", "docs"]}
    assert build_order(needs) == ["css", "docs", "gen", "lib", "app", "zip"]


def test_the_argument_stays_as_it_is():
    needs = {"b": ["a"], "c": ["a", "b"]}
    assert build_order(needs) == ["a", "b", "c"]
    assert needs == {"b": ["a"], "c": ["a", "b"]}


def test_edge_no_tasks():
    assert build_order({}) == []


def test_edge_duplicate_needs():
    assert build_order({"a": ["b", "b"], "b": []}) == ["b", "a"]


@pytest.mark.parametrize("needs", [{"a": ["a"]}, {"a": ["b"], "b": ["a"], "c": []}])
def test_error_for_a_circle(needs):
    with pytest.raises(CycleError):
        build_order(needs)


def test_edge_large_chain():
    names = [f"t{number:05}" for number in range(5000)]
    needs = {names[at]: [names[at + 1]] for at in range(4999)}
    assert build_order(needs) == names[::-1]
