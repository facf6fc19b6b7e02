from importer.reader import Customer, read_rows


def write(tmp_path, data: bytes):
    path = tmp_path / "customers.csv"
    path.write_bytes(data)
    return path


def test_reads_rows(tmp_path):
    path = write(tmp_path, b"name,email\nAda,ada@example.org\n")
    assert list(read_rows(path)) == [Customer("Ada", "ada@example.org")]


def test_strips_blanks(tmp_path):
    path = write(tmp_path, b"name,email\n Ada , ADA@example.org \n")
    assert list(read_rows(path)) == [Customer("Ada", "ada@example.org")]


def test_reads_excel_export(tmp_path):
    path = write(tmp_path, b"\xef\xbb\xbfname,email\r\nAda,ada@example.org\r\n")
    assert list(read_rows(path)) == [Customer("Ada", "ada@example.org")]


def test_empty_file_has_no_rows(tmp_path):
    assert list(read_rows(write(tmp_path, b"name,email\n"))) == []
