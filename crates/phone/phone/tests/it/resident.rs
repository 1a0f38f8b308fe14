//! The files of the resident server that are known, and the phones it was set up
//! for.

use clawperator_events::digest;
use clawperator_phone::ResidentSetup;
use clawperator_phone::resident::jar::{
    Jar, JarError, KNOWN_JARS, MAX_JAR, UnknownJar, known_jar, newest_package,
};
use clawperator_phone::resident::mark::SetupMarks;

#[test]
fn every_row_of_the_table_is_whole_and_there_once() {
    let mut packages: Vec<&str> = Vec::new();
    for row in KNOWN_JARS {
        assert_eq!(row.sha256.len(), 64, "{row:?}");
        let is_digit = |letter: char| matches!(letter, '0'..='9' | 'a'..='f');
        assert!(row.sha256.chars().all(is_digit), "{row:?}");
        assert_eq!(known_jar(row.sha256), Some(row), "{row:?}");
        assert!(row.bytes < MAX_JAR && !row.packages.is_empty(), "{row:?}");
        packages.extend(row.packages.iter().copied());
    }
    let parts = |version: &str| version.split('.').map(|part| part.parse::<u32>().unwrap()).collect();
    let numbers: Vec<Vec<u32>> = packages.iter().map(|version| parts(version)).collect();
    assert!(numbers.is_sorted_by(|one, next| one < next), "{packages:?}");
    assert_eq!(packages.last(), Some(&newest_package()));
}

#[test]
fn an_unknown_file_is_refused_unless_it_is_allowed() {
    let zip = b"PK\x03\x04anything".to_vec();
    let refused = Jar::check(zip.clone(), UnknownJar::Refused).unwrap_err();
    let text = refused.to_string();
    assert!(text.contains(&digest(&zip)), "{text}");
    assert!(text.contains("3.2.0 to 3.7.1"), "{text}");
    let allowed = Jar::check(zip.clone(), UnknownJar::Allowed).unwrap();
    assert_eq!((allowed.bytes(), allowed.version()), (zip.as_slice(), None));
    for unknown in [UnknownJar::Refused, UnknownJar::Allowed] {
        assert_eq!(Jar::check(b"PK".to_vec(), unknown), Err(JarError::NoZip));
        let large = vec![0; MAX_JAR + 1];
        assert_eq!(Jar::check(large, unknown), Err(JarError::TooLarge(MAX_JAR + 1)));
    }
}

#[test]
fn a_phone_is_marked_until_the_mark_is_removed() {
    let state = std::env::temp_dir().join(format!("clawperator-marks-{}", std::process::id()));
    let marks = SetupMarks::new(&state);
    assert_eq!(marks.of("127.0.0.1:5555"), ResidentSetup::None);
    marks.add("127.0.0.1:5555").unwrap();
    marks.add("127.0.0.1:5555").unwrap();
    assert_eq!(marks.of("127.0.0.1:5555"), ResidentSetup::Done);
    // It says nothing else.
    let mut files = std::fs::read_dir(state.join("lanes")).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert_eq!((std::fs::read(file).unwrap(), files.count()), (Vec::new(), 0));
    assert_eq!(marks.of("127.0.0.1:5556"), ResidentSetup::None);
    assert!(marks.remove("127.0.0.1:5555").unwrap());
    assert!(!marks.remove("127.0.0.1:5555").unwrap());
    assert_eq!(marks.of("127.0.0.1:5555"), ResidentSetup::None);
    assert!(marks.add(&"x".repeat(5000)).is_err());
    std::fs::remove_dir_all(state).unwrap();
}
