export const fakeClock = (start: number) => {
  let now = start;
  return { now: () => now, tick: (ms: number) => void (now += ms) };
};
