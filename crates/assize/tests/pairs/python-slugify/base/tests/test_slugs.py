from slugs import slugify


def test_words_are_joined_by_hyphens() -> None:
    assert slugify("Getting Started") == "getting-started"


def test_digits_stay() -> None:
    assert slugify("Chapter 12, part 3") == "chapter-12-part-3"


def test_runs_of_other_characters_become_one_hyphen() -> None:
    assert slugify("a -- b ... c") == "a-b-c"


def test_no_hyphen_at_the_ends() -> None:
    assert slugify("  (draft) ") == "draft"


def test_edge_unicode_accents_are_removed() -> None:
    assert slugify("Crème brûlée à l'été") == "creme-brulee-a-l-ete"


def test_edge_unicode_without_ascii_letters() -> None:
    assert slugify("日本 2024") == "2024"


def test_edge_empty_heading() -> None:
    assert slugify("") == "section"


def test_edge_nothing_is_left() -> None:
    assert slugify("?!") == "section"
