"""What can go wrong."""


class IniError(ValueError):
    """A line of a file can't be understood."""

    def __init__(self, line, reason):
        super().__init__(f"line {line}: {reason}")
        self.line = line
