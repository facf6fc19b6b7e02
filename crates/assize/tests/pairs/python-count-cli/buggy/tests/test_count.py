import count


def test_words(tmp_path, capsys):
    file = tmp_path / "a.txt"
    file.write_text("one two\nthree", encoding="utf-8")
    assert count.main([str(file)]) == 0
    assert capsys.readouterr().out == f"3 {file}\n"


def test_missing_file(tmp_path, capsys):
    assert count.main([str(tmp_path / "none")]) == 1
    assert "No such file" in capsys.readouterr().err


def test_version(capsys):
    assert count.main(["--version"]) == 0
    assert capsys.readouterr().out == f"count {count.__version__}\n"


def test_edge_version_comes_before_files(tmp_path, capsys):
    assert count.main([str(tmp_path / "none"), "--version"]) == 0
    assert capsys.readouterr().err == ""


def test_edge_no_arguments(capsys):
    assert count.main([]) == 2
    assert "usage" in capsys.readouterr().err


def test_edge_empty_file(tmp_path, capsys):
    file = tmp_path / "empty.txt"
    file.touch()
    assert count.main([str(file)]) == 0
    assert capsys.readouterr().out.startswith("0 ")
