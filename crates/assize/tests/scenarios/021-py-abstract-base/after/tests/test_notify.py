from unittest import mock

import pytest

from notify import UnknownChannel, notify


def test_email():
    with mock.patch("smtplib.SMTP") as smtp:
        notify("email", "a@example.org", "s", "t")
    assert smtp.return_value.__enter__.return_value.send_message.called


def test_webhook():
    with mock.patch("urllib.request.urlopen") as urlopen:
        notify("webhook", "https://example.org", "s", "t")
    assert urlopen.call_args.args[0] == "https://example.org"


def test_unknown_channel():
    with pytest.raises(UnknownChannel):
        notify("pigeon", "roof", "s", "t")
