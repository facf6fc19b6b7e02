from letters.greeting import closing_line, greeting_line


def test_people_are_greeted():
    assert greeting_line("Ann") == "Dear Ann,"
    assert greeting_line("Ann", "Lee") == "Dear Ann Lee,"


def test_letters_are_closed():
    assert closing_line("Bob") == "Yours, Bob"
