//! Data sets in every form: what cannot be read is an error, whatever the bytes, and a glance at a record shows the
//! same as reading it.

#![no_main]

use std::io::{Seek as _, Write as _};
use std::sync::Once;

use assize_eval::record::Record;
use assize_eval::record::glance::glance;
use assize_engine::records::{DataFormat, RawRecord, map_file, read_file};
use libfuzzer_sys::fuzz_target;

/// The library that reads Parquet panics on some inputs that make no sense. These panics are caught; any other is a
/// finding.
static CAUGHT: Once = Once::new();

fuzz_target!(|data: &[u8]| {
    CAUGHT.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    let Some((kind, data)) = data.split_first() else { return };
    let format = DataFormat::ALL.get(usize::from(kind % 5)).map(|(_, format)| *format);
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(data).expect("written");
    file.rewind().expect("rewound");
    let other = file.try_clone().expect("a handle");
    let mut count = 0_usize;
    let one_by_one = read_file(file, format, &mut |_| {
        count += 1;
        Ok(())
    });
    let mut other = other;
    other.rewind().expect("rewound");
    let mut again = 0_usize;
    let named = |record: Record| (record.id, record.hash);
    let look = |_: usize, item: RawRecord| {
        let seen = item.json().map(|json| glance(json, "id").map(named));
        let value = item.value();
        if let Some(seen) = seen {
            assert_eq!(seen, value.clone().and_then(|value| Record::of(value, "id")).ok().map(named));
        }
        value
    };
    let together = map_file(other, format, &look, &mut |_| {
        again += 1;
        Ok(())
    });
    assert_eq!(count, again);
    assert_eq!(one_by_one.map_err(|error| error.to_string()), together.map_err(|error| error.to_string()));
});
