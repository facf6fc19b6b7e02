"""Text in lines."""

from wrapping.lines import wrap
