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
    if (!this.has(word)) return false;
    this.#find(word).count = 0;
    const path = [this.#root];
    for (const character of word) path.push(path.at(-1).children.get(character));
    for (const character of [...word].slice(1).reverse()) {
      const node = path.pop();
      if (node.children.size > 0) break;
      path.at(-1).children.delete(character);
      this.nodes -= 1;
    }
    return true;
  }

  /** Returns words that begin with a prefix. */
  complete(prefix, limit = 10) {
    const found = [];
    const open = [[prefix, this.#find(prefix)]];
    while (open.length > 0) {
      const [word, node] = open.pop();
      if (!node) continue;
      if (node.count > 0) found.push({ word, count: node.count });
      for (const [character, child] of node.children) open.push([word + character, child]);
    }
    found.sort((a, b) => b.count - a.count || compare([...a.word], [...b.word]));
    return found.slice(0, limit).map(({ word }) => word);
  }

  #find(prefix) {
    let node = this.#root;
    for (const character of prefix) node = node?.children.get(character);
    return node;
  }
}

function compare(a, b) {
  const place = a.findIndex((character, place) => character !== b[place]);
  if (place < 0) return a.length - b.length;
  return place < b.length ? a[place].codePointAt(0) - b[place].codePointAt(0) : 1;
}
