const messages: string[] = [];

export function recieve(message: string) {
  messages.push(message);
}
