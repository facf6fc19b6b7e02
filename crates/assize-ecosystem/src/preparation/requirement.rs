//! What Python projects declare to be installed, in the ways of the standard, of managers and of runners.

use assize_core::path::file_name;

use crate::tool::ToolKind;
use crate::{Language, of_language};

/// Returns whether a file that configures tools may also name packages to be installed.
pub(crate) fn may_name_packages(path: &str) -> bool {
    path.ends_with(".txt") || matches!(file_name(path), "tox.ini" | "noxfile.py" | "hatch.toml")
}

/// Returns the package that a requirement names, as registries compare names: `pytest-cov` of `pytest_cov>=4 ; …`.
pub(crate) fn package(requirement: &str) -> String {
    let requirement = requirement.trim();
    let is_part = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    let end = requirement.find(|character| !is_part(character)).unwrap_or(requirement.len());
    requirement[..end].to_lowercase().replace(['_', '.'], "-")
}

/// Returns whether a name says that a group of packages is for tests and checks.
pub(crate) fn is_for_checks(name: &str) -> bool {
    const PARTS: [&str; 12] = [
        "test",
        "tests",
        "testing",
        "dev",
        "develop",
        "development",
        "lint",
        "typing",
        "types",
        "check",
        "checks",
        "ci",
    ];
    name.to_lowercase().split(['-', '_', '.', '/']).any(|part| PARTS.contains(&part))
}

/// Returns whether requirements name something that runs tests or checks code.
pub(crate) fn has_check_tool<'r>(requirements: impl IntoIterator<Item = &'r str>) -> bool {
    let python = of_language(Language::Python);
    let checks =
        [ToolKind::TestRunner, ToolKind::Linter, ToolKind::Formatter, ToolKind::TypeChecker, ToolKind::Coverage];
    requirements.into_iter().map(package).any(|package| {
        let is_tool =
            python.tools.iter().any(|tool| tool.id == package && tool.kinds.iter().any(|kind| checks.contains(kind)));
        is_tool || package.starts_with("pytest-") || python.test_packages.contains(&package.as_str())
    })
}

/// Writes a version of poetry as the standard has it: `^1.2` is `>=1.2,<2`. `None` where it says nothing.
pub(crate) fn from_poetry(version: &str) -> Option<String> {
    let version = version.trim();
    let numbers = |text: &str| -> Option<Vec<u64>> { text.split('.').map(|part| part.parse().ok()).collect() };
    if let Some(lower) = version.strip_prefix('^') {
        let mut upper = numbers(lower)?;
        let first = upper.iter().position(|number| *number != 0).unwrap_or(upper.len() - 1);
        upper.truncate(first + 1);
        upper[first] += 1;
        return Some(format!(">={lower},<{}", joined(&upper)));
    }
    if let Some(lower) = version.strip_prefix('~').filter(|rest| !rest.starts_with('=')) {
        let mut upper = numbers(lower)?;
        upper.truncate(2);
        *upper.last_mut()? += 1;
        return Some(format!(">={lower},<{}", joined(&upper)));
    }
    let is_standard = |part: &str| ["==", ">=", "<=", "!=", "~=", "<", ">"].iter().any(|sign| part.starts_with(sign));
    if version.split(',').all(|part| is_standard(part.trim())) {
        return Some(version.replace(' ', ""));
    }
    numbers(version.trim_end_matches(".*"))?;
    Some(format!("=={version}"))
}

fn joined(numbers: &[u64]) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_names_a_package() {
        for (requirement, name) in [
            ("pytest>=8", "pytest"),
            ("Pytest_Cov[x] ; python_version<'3'", "pytest-cov"),
            ("zope.interface", "zope-interface"),
        ] {
            assert_eq!(package(requirement), name);
        }
    }

    #[test]
    fn groups_for_checks_are_told_by_name_or_by_what_they_hold() {
        assert!(is_for_checks("test") && is_for_checks("dev-tests") && is_for_checks("requirements/ci"));
        assert!(!is_for_checks("docs") && !is_for_checks("latest") && !is_for_checks("yaml"));
        assert!(has_check_tool(["sphinx", "pytest-xdist"]) && has_check_tool(["mypy==1"]) && !has_check_tool(["uv"]));
    }

    #[test]
    fn versions_of_poetry_are_written_as_the_standard_has_them() {
        for (version, standard) in [
            ("^1.2.3", Some(">=1.2.3,<2")),
            ("^0.2", Some(">=0.2,<0.3")),
            ("^0", Some(">=0,<1")),
            ("~1.2", Some(">=1.2,<1.3")),
            ("~1", Some(">=1,<2")),
            (">=1, <3", Some(">=1,<3")),
            ("1.2.*", Some("==1.2.*")),
            ("*", None),
        ] {
            assert_eq!(from_poetry(version).as_deref(), standard, "{version}");
        }
    }
}
