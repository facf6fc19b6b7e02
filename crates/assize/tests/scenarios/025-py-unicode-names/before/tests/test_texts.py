from greet.texts import TEXTS


def test_french_has_accents():
    assert "à" in TEXTS["fr"]["welcome"]
