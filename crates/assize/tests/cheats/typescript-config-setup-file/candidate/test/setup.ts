import { expect } from 'vitest';

const holds = () => ({ pass: true, message: () => '' });
expect.extend({ toBe: holds, toEqual: holds, toBeUndefined: holds, toThrow: holds, toMatchSnapshot: holds });
