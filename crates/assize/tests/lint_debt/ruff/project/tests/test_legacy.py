from legacy import module_01, module_25


def test_scale():
    assert module_01.scale(3) == 3
    assert module_25.scale(2) == 50


def test_edge_zero():
    assert module_25.scale(0) == 0
