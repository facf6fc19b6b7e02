//! The forms in which `assize review --output` writes a review, one file each, named by what users type.
//!
//! To add one: write the file with a type that implements [`Form`], and add it to `forms!` below.

use assize_review::court::ReviewRecord;

use crate::exit::Failure;

/// Declares the forms: their modules and the list of them.
macro_rules! forms {
    ($($module:ident::$form:ident,)*) => {
        $(mod $module;)*

        /// Every form, in the order of the help.
        pub static FORMS: &[&dyn Form] = &[$(&$module::$form),*];
    };
}

forms! {
    json::Json,
    sarif::Sarif,
    junit::Junit,
    markdown::Markdown,
    annotations::Annotations,
}

/// A form in which a review is written to a file.
pub trait Form: Sync {
    /// The id that users type; also the name of the file.
    fn id(&self) -> &'static str;

    /// Writes a review.
    ///
    /// # Errors
    ///
    /// Fails when the review cannot be written in this form.
    fn write(&self, record: &ReviewRecord) -> Result<String, Failure>;
}

/// Returns the form of an id.
///
/// # Errors
///
/// Names the forms that there are.
pub fn form(id: &str) -> Result<&'static dyn Form, String> {
    let known = || FORMS.iter().map(|form| form.id()).collect::<Vec<_>>().join(", ");
    FORMS.iter().copied().find(|form| form.id() == id).ok_or_else(|| format!("`{id}` is none of {}", known()))
}

/// Returns the help of `--output`, which names every form.
pub fn help() -> String {
    let forms: Vec<String> = FORMS.iter().map(|form| format!("`{}=F`", form.id())).collect();
    format!("Write the result in further forms: {}", forms.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_found_by_the_ids_that_users_type() {
        for known in FORMS {
            assert_eq!(form(known.id()).map(Form::id), Ok(known.id()));
        }
        assert_eq!(
            form("xml").map(Form::id),
            Err("`xml` is none of json, sarif, junit, markdown, annotations".to_owned())
        );
        let forms = "`json=F`, `sarif=F`, `junit=F`, `markdown=F`, `annotations=F`";
        assert_eq!(help(), format!("Write the result in further forms: {forms}"));
    }
}
