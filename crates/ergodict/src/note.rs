//! Notes: what a user should know of a choice that was made, with the setting that would make another.

use crate::Hint;

/// A note, with the setting that it names.
///
/// ```
/// use ergodict::{Hint, Note};
/// let hint = Hint { setting: "component", value: "all".into() };
/// let note = Note::hinting("the largest component is sampled ({} takes all)", hint);
/// assert_eq!(
///     note.spelled(&|hint| format!("--{} {}", hint.setting, hint.value)),
///     "the largest component is sampled (--component all takes all)"
/// );
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The text; `{}` stands for the setting.
    text: String,
    hint: Option<Hint>,
}

impl Note {
    /// With a setting, which stands at `{}`.
    pub fn hinting(text: impl Into<String>, hint: Hint) -> Self {
        Self { text: text.into(), hint: Some(hint) }
    }

    /// The note with its setting spelled as `spell` does.
    pub fn spelled(&self, spell: &dyn Fn(&Hint) -> String) -> String {
        match &self.hint {
            Some(hint) => self.text.replacen("{}", &spell(hint), 1),
            None => self.text.clone(),
        }
    }
}

impl From<String> for Note {
    fn from(text: String) -> Self {
        Self { text, hint: None }
    }
}
