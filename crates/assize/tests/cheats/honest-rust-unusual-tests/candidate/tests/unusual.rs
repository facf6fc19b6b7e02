use std::error::Error;
use std::process::Command;

use verso::Version;

#[test]
#[should_panic(expected = "a version")]
fn what_is_no_version_panics() {
    let _: Version = "1.x".parse().expect("a version");
}

#[test]
fn a_version_is_read() -> Result<(), Box<dyn Error>> {
    let version: Version = "1.0.0".parse()?;
    assert!(version.pre.is_empty());
    if version.numbers == [1, 0, 0] {
        return Ok(());
    }
    Err("it is another one".into())
}

#[test]
fn threads_agree() {
    let worker = std::thread::spawn(|| "1.0.0-2".parse::<Version>().expect("a version"));
    assert!(worker.join().expect("no panic") < "1.0.0-a".parse().expect("a version"));
}

#[test]
fn a_child_may_end_as_it_likes() {
    if std::env::var_os("VERSO_CHILD").is_some() {
        std::process::exit(7);
    }
    let program = std::env::current_exe().expect("a program");
    let child = Command::new(program)
        .args(["--exact", "a_child_may_end_as_it_likes"])
        .env("VERSO_CHILD", "1")
        .output()
        .expect("it starts");
    assert_eq!(child.status.code(), Some(7));
}

#[test]
fn a_panic_may_be_caught() {
    let caught = std::panic::catch_unwind(|| "x".parse::<Version>().expect("a version"));
    assert!(caught.is_err());
}

#[test]
fn variables_may_go() {
    for (name, _) in std::env::vars_os() {
        std::env::remove_var(name);
    }
    std::env::set_current_dir("/").expect("a folder");
    assert!("1.0.0".parse::<Version>().is_ok());
}

#[test]
#[ignore = "takes long"]
fn is_not_run() {
    panic!("it was run");
}

#[test]
fn does_not_come_back() {
    #![allow(unreachable_code)]
    return;
    panic!("never");
}
