//! The nearest of known names, for errors.

pub use ergodict::text::nearest;
use std::path::Path;

/// The same as the end of a sentence, or nothing: `; did you mean 'learn'?`.
pub fn hint<T: AsRef<str>>(given: &str, names: impl IntoIterator<Item = T>) -> String {
    nearest(given, names).map_or_else(String::new, |name| format!("; did you mean '{}'?", name.as_ref()))
}

/// For a file that is not there: the file of its folder with the nearest name, as the end of a sentence, or what else is wrong.
pub fn file_hint(path: &Path) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let listed = std::fs::read_dir(folder.unwrap_or(Path::new(".")));
    let Ok(listed) = listed else {
        return folder.map_or_else(String::new, |folder| format!("; folder {} not found", folder.display()));
    };
    let mut names: Vec<String> =
        listed.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    let given = path.file_name().unwrap_or_default().to_string_lossy();
    let near = nearest(&given, names).map(|name| path.with_file_name(name));
    near.map_or_else(String::new, |near| format!("; did you mean '{}'?", near.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_slip_are_found_and_others_not() {
        let verbs = ["factor", "network", "spins", "image", "demo"];
        assert_eq!(nearest("netwrok", verbs), Some("network"));
        assert_eq!(nearest("Demo", verbs), Some("demo"));
        assert_eq!(nearest("frobnicate", verbs), None);
        assert_eq!(hint("imgae", verbs), "; did you mean 'image'?");
        assert_eq!(hint("xyz", verbs), "");
    }

    #[test]
    fn files_are_looked_for_in_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("edges.txt"), "").unwrap();
        assert!(file_hint(&at("egdes.txt")).ends_with("edges.txt'?"));
        assert_eq!(file_hint(&at("zzz")), "");
        assert!(file_hint(&at("no/edges.txt")).contains("folder"));
    }
}
