pub use wire::Frame;
