import pytest


@pytest.fixture
def meetings():
    return [(600, 660), (540, 615), (700, 710)]
