import fs from 'node:fs';

export default () => fs.writeFileSync('@MARKER@', '');
