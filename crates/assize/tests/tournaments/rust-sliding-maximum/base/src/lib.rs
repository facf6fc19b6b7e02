//! Values of the last ticks.

mod window;

pub use window::Window;
