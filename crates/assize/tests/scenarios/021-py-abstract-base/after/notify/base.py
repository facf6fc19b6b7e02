"""What a channel is, and how channels are found by name."""


class UnknownChannel(LookupError):
    """No channel has this name."""


class Channel:
    """Sends a message somewhere. Subclasses say where."""

    def send(self, target: str, subject: str, text: str) -> None:
        raise NotImplementedError


_channels: dict[str, type[Channel]] = {}


def register(name: str):
    """Makes a channel known under a name."""

    def decorate(channel: type[Channel]) -> type[Channel]:
        _channels[name] = channel
        return channel

    return decorate


def channel(name: str) -> Channel:
    try:
        return _channels[name]()
    except KeyError:
        raise UnknownChannel(name) from None
