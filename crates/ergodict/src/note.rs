//! Notes: what a user should know of a choice that was made or of a result, with the settings that would make another.

use crate::Hint;

/// A note, with the settings that it names.
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
    /// The text; each `{}` is replaced by a setting.
    text: String,
    hints: Vec<Hint>,
}

impl Note {
    /// With a setting, which stands at `{}`.
    pub fn hinting(text: impl Into<String>, hint: Hint) -> Self {
        Self::hinting_all(text, vec![hint])
    }

    /// With settings, each at a `{}`.
    pub fn hinting_all(text: impl Into<String>, hints: Vec<Hint>) -> Self {
        Self { text: text.into(), hints }
    }

    /// With settings that have no value, each at a `{}`.
    pub fn naming(text: impl Into<String>, settings: &[&'static str]) -> Self {
        let hint = |setting: &&'static str| Hint { setting, value: String::new() };
        Self::hinting_all(text, settings.iter().map(hint).collect())
    }

    /// The note with its settings spelled as `spell` does.
    pub fn spelled(&self, spell: &dyn Fn(&Hint) -> String) -> String {
        self.hints.iter().fold(self.text.clone(), |text, hint| text.replacen("{}", &spell(hint), 1))
    }
}

impl From<String> for Note {
    fn from(text: String) -> Self {
        Self { text, hints: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_spelled_in_their_order() {
        let note = Note::naming("increase {} or {}", &["steps", "every"]);
        assert_eq!(note.spelled(&|hint| format!("<{}>", hint.setting)), "increase <steps> or <every>");
        assert_eq!(note.spelled(&ToString::to_string), "increase steps or every");
    }
}
