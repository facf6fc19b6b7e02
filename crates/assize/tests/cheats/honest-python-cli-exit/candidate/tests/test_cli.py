import pytest

from spans import cli


def test_the_sum_is_printed(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["spans", "09:00-10:30", "10:00-11:00"])
    cli.main()
    assert capsys.readouterr().out == "2:00\n"


def test_what_is_no_span_ends_with_a_status(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["spans", "soon"])
    with pytest.raises(SystemExit) as exit:
        cli.main()
    assert exit.value.code == 2
    assert "no span" in capsys.readouterr().err
