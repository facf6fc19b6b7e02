export class Counter {
  private value = 0;

  constructor(readonly name: string) {}

  add(amount = 1): void {
    if (amount < 0) throw new RangeError("a counter only grows");
    this.value += amount;
  }

  render(): string {
    return `# TYPE ${this.name} counter\n${this.name} ${this.value}\n`;
  }
}
