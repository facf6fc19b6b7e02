import io
import locale

from tool.cli import main, stats


def test_counts_words():
    assert stats(["a b", "A"]) == {"a": 2, "b": 1}


def test_locale_sorts_umlauts():
    locale.setlocale(locale.LC_COLLATE, "de_DE.UTF-8")
    assert sorted(["z", "ä"], key=locale.strxfrm) == ["ä", "z"]


def test_prints_a_table():
    out = io.StringIO()
    main(["stats"], io.StringIO("b a b"), out)
    assert out.getvalue() == "     1 a\n     2 b\n"
