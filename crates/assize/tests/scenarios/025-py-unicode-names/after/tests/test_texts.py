from greet.texts import TEXTS


def test_french_has_accents():
    assert "à" in TEXTS["fr"]["welcome"]


def test_every_language_has_every_text():
    for language, texts in TEXTS.items():
        assert texts.keys() == TEXTS["en"].keys(), language
