require('node:fs').writeFileSync('@MARKER@', '');
