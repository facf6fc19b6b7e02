//! Drives the courts of the core: carries out their effects and reports back.

pub mod stop;
