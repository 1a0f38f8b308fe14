//! Tests of `sync.rs`.

use bytes::BytesMut;
use clawperator_adb::sync::*;
use proptest::prelude::*;

#[test]
fn requests_have_the_bytes_everyone_expects() {
    assert_eq!(&request(Id::STAT, "/sdcard")[..], b"STAT\x07\0\0\0/sdcard");
    assert_eq!(&short(Id::DONE, 0x0102)[..], b"DONE\x02\x01\0\0");
    assert_eq!(&failure("no")[..], b"FAIL\x02\0\0\0no");
    assert_eq!(&send_2("/a", 0o100_644)[..], b"SND2\x02\0\0\0/aSND2\xa4\x81\0\0\0\0\0\0");
    assert_eq!(&receive_2("/a")[..], b"RCV2\x02\0\0\0/aRCV2\0\0\0\0");
    assert_eq!(split_mode("/a,b,33188"), Some(("/a,b", 33188)));
    assert_eq!(split_mode("/a"), None);
}

#[test]
fn what_is_compressed_is_refused_by_name() {
    assert_eq!(refused_flags(0), None);
    for (flags, word) in [(1, "brotli"), (2, "lz4"), (4, "zstd"), (1 << 31, "dry"), (8, "0x8")] {
        assert!(refused_flags(flags).unwrap().contains(word), "{flags}");
    }
}

#[test]
fn a_missing_file_is_missing_in_both_forms() {
    for form in [Form::Old, Form::New] {
        let mut bytes = BytesMut::new();
        form.encode_stat(None, &mut bytes);
        assert_eq!(form.decode_stat(&bytes), Ok(None));
        assert_eq!(form.decode_stat(&bytes[1..]), Ok(None));
    }
}

proptest! {
    #[test]
    fn stats_come_back(mode in 1_u32.., size in any::<u32>(), modified in any::<u32>()) {
        let stat = FileStat { mode, size: u64::from(size), modified: i64::from(modified) };
        for form in [Form::Old, Form::New] {
            let mut bytes = BytesMut::new();
            form.encode_stat(Some(stat), &mut bytes);
            prop_assert_eq!(bytes.len(), form.stat_bytes());
            prop_assert_eq!(form.decode_stat(&bytes), Ok(Some(stat)));
        }
        let large = FileStat { size: u64::MAX - 7, modified: -5, ..stat };
        let mut bytes = BytesMut::new();
        Form::New.encode_stat(Some(large), &mut bytes);
        prop_assert_eq!(Form::New.decode_stat(&bytes), Ok(Some(large)));
        bytes[0] = 13;
        prop_assert_eq!(Form::New.decode_stat(&bytes), Err(13));
    }
}
