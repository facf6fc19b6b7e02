//! dev
use assize_engine::sandbox::*;
use std::io::Write as _;
fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    if a[0] == COMMAND {
        std::process::exit(launch(Stage::named(&a[1]).unwrap(), &[COMMAND.into()]).into());
    }
    let tier = Tier::ALL.into_iter().find(|t| t.to_string() == a[0]).unwrap();
    let t0 = std::time::Instant::now();
    let host = Host::of_this_process();
    eprintln!("host {:?}", t0.elapsed());
    let s = match Sandbox::at(tier, Launcher::of_this_process().unwrap(), host) { Ok(s) => s, Err(e) => { eprintln!("ERR {e}"); return } };
    eprintln!("ready {:?} {}", t0.elapsed(), s.level().sentence());
    let d = tempfile::tempdir().unwrap();
    let (w, r) = (d.path().join("w"), d.path().join("r"));
    std::fs::create_dir(&w).unwrap();
    std::fs::create_dir(&r).unwrap();
    let args: Vec<&str> = a[2..].iter().map(String::as_str).collect();
    let mut job = Job::new(&a[1], &args, &w, &r);
    job.limits.wall_seconds = 20;
    for i in 0..3 {
    let t = std::time::Instant::now();
    let res = s.run(&job, &mut |c| { if i == 0 { std::io::stderr().write_all(c.bytes).unwrap() } });
    match res { Ok(r) => eprintln!("{:?} in {:?}: {:?} {:?} {:?} {:?} wall {:?} cpu {:?} peak {}", i, t.elapsed(), r.status, r.signal, r.limit_reached, r.limits_touched, r.wall, r.cpu, r.peak_memory), Err(e) => eprintln!("ERROR {e}") }
    }
}
