//! x
use std::time::Instant;
use assize_engine::evidence::*;
use assize_core::session::*;
fn main(){
 let a: Vec<String>=std::env::args().collect();
 let folder=std::path::PathBuf::from(&a[1]); let tr=std::path::PathBuf::from(&a[2]);
 let t=Instant::now();
 let f=assize_engine::transcript::read_facts(&tr, assize_core::transcript::TranscriptKind::ClaudeCode).unwrap();
 println!("transcript {:?} {}", t.elapsed(), f.tool_calls);
 let t=Instant::now(); let r=assize_engine::git::Repository::discover(&folder).unwrap().unwrap(); println!("discover {:?}",t.elapsed());
 let head=r.head().unwrap();
 let t=Instant::now(); let p=r.patch(head.as_deref()).unwrap(); println!("patch {:?} {}",t.elapsed(),p.len());
 let t=Instant::now(); let l=r.files().unwrap(); println!("files {:?} {}",t.elapsed(),l.len());
 let t=Instant::now(); let files=assize_core::diff::parse_git_patch(&p); println!("parse patch {:?} {}",t.elapsed(),files.len());
 let t=Instant::now(); for f in &files { let s=std::fs::read_to_string(folder.join(&f.path)).unwrap(); assize_engine::syntax::errors(&f.path,&s); } println!("syntax {:?}",t.elapsed());
 let st=SessionState{ baseline: Some(Baseline{commit:head,measured:assize_core::session::Measured::Repository,..Default::default()}), active: assize_core::directive::Directive::from_prompt("Add the handlers",1,vec![]).into_iter().collect(), ..Default::default()};
 let src=Sources{folder:folder.clone(),transcript:Some((tr,assize_core::transcript::TranscriptKind::ClaudeCode)),final_message:Some("Handler works as the tests show.".into()), cache: None};
 let t=Instant::now(); let e=gather(&src,&st); println!("gather {:?}",t.elapsed());
 let per=std::env::args().nth(3).is_some();
 if per { for rule in assize_core::rule::RULES {
  let levels=assize_core::rule::RULES.iter().filter(|r| r.id()!=rule.id()).map(|r|(r.id().to_owned(),assize_core::rule::Level::Off)).collect();
  let set=assize_core::rule::RuleSettings::new(levels,vec![]).unwrap();
  let t=Instant::now(); let _=assize_core::rule::run(&e,&set); let a=t.elapsed();
  let t=Instant::now(); let _=assize_core::rule::run(&e,&set); let b=t.elapsed();
  println!("{:22} {:8.3} {:8.3}", rule.id(), a.as_secs_f64()*1e3,b.as_secs_f64()*1e3);
 } } else {
 let t=Instant::now(); let rep=assize_core::rule::run(&e,&Default::default()); println!("rules {:?} {}",t.elapsed(),rep.findings.len());
 let t=Instant::now(); let rep=assize_core::rule::run(&e,&Default::default()); println!("rules again {:?} {}",t.elapsed(),rep.findings.len());
 }
}
