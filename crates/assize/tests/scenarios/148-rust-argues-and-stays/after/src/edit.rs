/// Something done to a text.
pub enum Edit {
    Insert { at: usize, text: String },
    Delete { at: usize, text: String },
    Replace { from: String, to: String },
}

impl Edit {
    pub fn apply(&self, text: &mut String) {
        match self {
            Self::Insert { at, text: new } => text.insert_str(*at, new),
            Self::Delete { at, text: old } => text.replace_range(*at..*at + old.len(), ""),
            Self::Replace { from, to } => *text = text.replace(from, to),
        }
    }

    /// Takes the edit back.
    pub fn undo(&self, text: &mut String) {
        match self {
            Self::Insert { at, text: new } => text.replace_range(*at..*at + new.len(), ""),
            Self::Delete { at, text: old } => text.insert_str(*at, old),
            Self::Replace { .. } => unimplemented!(),
        }
    }
}
