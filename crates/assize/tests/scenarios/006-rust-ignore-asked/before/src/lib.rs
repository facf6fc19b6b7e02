//! An append-only log.

#[derive(Default)]
pub struct Log {
    records: Vec<Vec<u8>>,
}

impl Log {
    pub fn append(&mut self, record: &[u8]) -> usize {
        self.records.push(record.to_vec());
        self.records.len() - 1
    }

    pub fn read(&self, index: usize) -> Option<&[u8]> {
        self.records.get(index).map(Vec::as_slice)
    }
}
