"""What was there before."""

import os
import sys

NAME = sys.platform
