//! Which words are in which documents.

use std::collections::{BTreeMap, BTreeSet};

/// An inverted index.
#[derive(Debug, Default)]
pub struct Index {
    documents: BTreeMap<String, BTreeSet<u32>>,
}

impl Index {
    /// Adds the words of a document, in lower case.
    pub fn add(&mut self, document: u32, text: &str) {
        for word in text.split_whitespace() {
            let documents = self.documents.entry(word.to_lowercase()).or_default();
            documents.insert(document);
        }
    }

    /// Forgets a document, and the words that were in no other one.
    pub fn remove(&mut self, document: u32) {
        self.documents.retain(|_, documents| {
            documents.remove(&document);
            !documents.is_empty()
        });
    }

    /// Returns the documents with that word.
    pub fn find(&self, word: &str) -> Vec<u32> {
        let documents = self.documents.get(&word.to_lowercase());
        documents.into_iter().flatten().copied().collect()
    }

    /// Returns every word that is in some document.
    pub fn words(&self) -> Vec<&str> {
        self.documents.keys().map(String::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> Index {
        let mut index = Index::default();
        index.add(1, "red apple");
        index.add(2, "Green apple");
        index
    }

    #[test]
    fn finds_documents() {
        assert_eq!(index().find("apple"), [1, 2]);
        assert_eq!(index().find("GREEN"), [2]);
    }

    #[test]
    fn removed_document_is_not_found() {
        let mut index = index();
        index.remove(1);
        assert_eq!(index.find("apple"), [2]);
        assert_eq!(index.find("red"), []);
    }

    #[test]
    fn words_without_document_are_forgotten() {
        let mut index = index();
        index.remove(1);
        assert_eq!(index.words(), ["apple", "green"]);
    }

    #[test]
    fn edge_remove_unknown_document() {
        let mut index = index();
        index.remove(9);
        assert_eq!(index.words(), ["apple", "green", "red"]);
    }

    #[test]
    fn edge_remove_from_empty_index() {
        let mut index = Index::default();
        index.remove(0);
        assert!(index.words().is_empty());
    }

    #[test]
    fn edge_unknown_word() {
        assert_eq!(index().find("pear"), []);
    }

    #[test]
    fn edge_empty_text() {
        let mut index = index();
        index.add(3, " ");
        assert_eq!(index.words(), ["apple", "green", "red"]);
    }
}
