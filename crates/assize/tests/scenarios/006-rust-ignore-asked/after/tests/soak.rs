use logstore::Log;

#[test]
#[ignore = "takes minutes, run by the nightly job"]
fn survives_an_hour_of_writes() {
    let mut log = Log::default();
    for index in 0..40_000_000usize {
        let record = index.to_le_bytes();
        let at = log.append(&record);
        assert_eq!(log.read(at), Some(&record[..]));
    }
}
