export class Gauge {
  private value = 0;

  constructor(readonly name: string) {}

  set(value: number): void {
    this.value = value;
  }

  render(): string {
    return `# TYPE ${this.name} gauge\n${this.name} ${this.value}\n`;
  }
}
