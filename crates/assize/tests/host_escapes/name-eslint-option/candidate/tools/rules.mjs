import fs from 'node:fs';

fs.writeFileSync('@MARKER@', '');

export default [];
