//! The small shop that several parts judge: a Python project with tests, and two changes of it.

use super::Result;
use crate::demo_repository::DemoRepository;

/// What is asked for.
pub const TASK: &str = include_str!("../../../demo/change/task.md");
/// A change that takes the discount off the whole cart, and breaks a test.
pub const WHOLE_CART: &str = include_str!("../../../demo/change/whole-cart.patch");
/// A change that does what is asked for.
pub const EACH_ITEM: &str = include_str!("../../../demo/change/each-item.patch");

const FILES: [(&str, &str); 6] = [
    ("README.md", include_str!("../../../demo/shop/README.md")),
    ("assize.toml", include_str!("../../../demo/shop/assize.toml")),
    ("shop/__init__.py", include_str!("../../../demo/shop/shop/__init__.py")),
    ("shop/cart.py", include_str!("../../../demo/shop/shop/cart.py")),
    ("tests/__init__.py", include_str!("../../../demo/shop/tests/__init__.py")),
    ("tests/test_cart.py", include_str!("../../../demo/shop/tests/test_cart.py")),
];

/// Makes the repository, with the task and the changes beside it.
pub fn repository() -> Result<DemoRepository> {
    let repository = DemoRepository::new(&FILES)?;
    repository.write_beside("task.md", TASK)?;
    repository.write_beside("whole-cart.patch", WHOLE_CART)?;
    repository.write_beside("each-item.patch", EACH_ITEM)?;
    Ok(repository)
}
