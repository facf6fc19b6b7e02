//! What the tests of Assize are made with: hermetic repositories, scripted model servers, and the
//! means to run the real `claude` program against them. Never part of a release.

pub mod agent;
pub mod change;
pub mod claude_cli;
pub mod machine_test;
pub mod model_server;
pub mod repo;
pub mod scenario;
