from notify import channels  # noqa: F401  (registers the built-in channels)
from notify.base import Channel, UnknownChannel, channel, register

__all__ = ["Channel", "UnknownChannel", "notify", "register"]


def notify(kind, target, subject, text):
    channel(kind).send(target, subject, text)
