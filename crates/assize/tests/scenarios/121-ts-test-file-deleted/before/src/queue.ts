export class Queue {
  private items: string[] = [];

  push(item: string): void {
    this.items.push(item);
  }

  shift(): string | undefined {
    return this.items.shift();
  }
}
