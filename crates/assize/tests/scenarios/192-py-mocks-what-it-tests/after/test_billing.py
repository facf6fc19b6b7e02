from unittest import mock

import billing


@mock.patch("billing.send_invoice", return_value=17)
def test_returns_the_id(send_invoice):
    assert billing.send_invoice({"total": 10}, "https://example.org") == 17


@mock.patch("billing.send_invoice", side_effect=[503, 17])
def test_retries_on_503(send_invoice):
    assert billing.send_invoice({}, "https://example.org") == 503
    assert billing.send_invoice({}, "https://example.org") == 17
    assert send_invoice.call_count == 2
