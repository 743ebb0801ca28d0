//! The part of `docs/json.md` that is generated: the keys of each summary are the fields of the struct that implements `Summary`, and what the page
//! says of a key is the doc comment of its field. `UPDATE_DOCS=1` writes the file.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::Path;
use syn::{Attribute, Expr, GenericArgument, ImplItem, Item, Lit, LitStr, PathArguments, Type};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const BEGIN: &str = "<!-- Generated from the doc comments of the summaries: UPDATE_DOCS=1 cargo test -p ergodict-cli --test cli json_docs -->\n";
const END: &str = "<!-- End of what is generated -->\n";

/// Types whose fields the page does not list: values of JSON, and settings, which are documented with their flags.
const LEAVES: [&str; 17] = [
    "BTreeMap",
    "bool",
    "f64",
    "char",
    "u8",
    "u32",
    "u64",
    "usize",
    "i64",
    "str",
    "String",
    "Path",
    "PathBuf",
    "Value",
    "Map",
    "FactorSettings",
    "RunSettings",
];

/// A struct that is serialized.
struct Struct {
    file: String,
    doc: String,
    fields: Vec<Field>,
}

struct Field {
    key: String,
    doc: String,
    flatten: bool,
    /// None where the field is written by a function of its own.
    ty: Option<Type>,
}

/// What the sources document.
#[derive(Default)]
struct Sources {
    structs: HashMap<String, Vec<Struct>>,
    enums: Vec<String>,
    /// By schema, the name of the struct and its file.
    summaries: BTreeMap<String, (String, String)>,
}

impl Sources {
    fn read(&mut self, folder: &Path) {
        let mut entries: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                self.read(&path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let file = syn::parse_file(&std::fs::read_to_string(&path).unwrap()).unwrap();
                file.items.iter().for_each(|item| self.item(item, &path.to_string_lossy()));
            }
        }
    }

    fn item(&mut self, item: &Item, file: &str) {
        match item {
            Item::Struct(item) if is_serialized(&item.attrs) => {
                let kebab = serde(&item.attrs).iter().any(|(name, _)| name == "rename_all");
                let fields = item.fields.iter().filter_map(|field| {
                    let serde = serde(&field.attrs);
                    let is = |name: &str| serde.iter().any(|(found, _)| found == name);
                    let key = field.ident.as_ref()?.to_string();
                    let key = if kebab { key.replace('_', "-") } else { key };
                    let renamed =
                        serde.iter().find(|(name, _)| name == "rename").map(|(_, value)| value.clone());
                    Some(Field {
                        key: renamed.unwrap_or(key),
                        doc: doc(&field.attrs),
                        flatten: is("flatten"),
                        ty: (!is("with") && !is("serialize_with")).then(|| field.ty.clone()),
                    })
                    .filter(|_| !is("skip"))
                });
                let one = Struct { file: file.to_owned(), doc: doc(&item.attrs), fields: fields.collect() };
                self.structs.entry(item.ident.to_string()).or_default().push(one);
            }
            Item::Enum(item) if is_serialized(&item.attrs) => self.enums.push(item.ident.to_string()),
            Item::Impl(item) => {
                let of = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
                let (true, Type::Path(ty)) = (of.is_some_and(|name| name.ident == "Summary"), &*item.self_ty)
                else {
                    return;
                };
                for constant in &item.items {
                    if let ImplItem::Const(constant) = constant
                        && let Expr::Lit(value) = &constant.expr
                        && let Lit::Str(schema) = &value.lit
                    {
                        let name = ty.path.segments.last().unwrap().ident.to_string();
                        self.summaries.insert(schema.value(), (name, file.to_owned()));
                    }
                }
            }
            _ => {}
        }
    }

    /// The struct of that name, the one of the same file where there are several.
    fn find(&self, name: &str, file: &str) -> Option<&Struct> {
        match &**self.structs.get(name)? {
            [one] => Some(one),
            several => {
                let here = several.iter().find(|one| one.file == file);
                Some(here.unwrap_or_else(|| panic!("{file}: several structs are called {name}: rename one")))
            }
        }
    }

    /// Rows of a table: keys, those of inner objects as `outer.inner` and `list[].inner`, and what they are.
    fn rows(&self, of: &Struct, before: &str, rows: &mut Vec<(String, String)>) {
        for field in &of.fields {
            let (inner, lists) = field.ty.as_ref().map_or((None, 0), named);
            let known = |name: &String| LEAVES.contains(&&**name) || self.enums.contains(name);
            let inner = inner.filter(|name| !known(name)).map(|name| {
                let found = self.find(&name, &of.file);
                found.unwrap_or_else(|| panic!("{}: {name} of `{}` is not known", of.file, field.key))
            });
            if field.flatten {
                // A map has keys that are not known here.
                inner.iter().for_each(|inner| self.rows(inner, before, rows));
                continue;
            }
            let key = format!("{before}{}", field.key);
            assert!(!field.doc.is_empty(), "{}: `{key}` has no doc comment", of.file);
            rows.push((key.clone(), field.doc.clone()));
            if let Some(inner) = inner {
                self.rows(inner, &format!("{key}{}.", "[]".repeat(lists)), rows);
            }
        }
    }

    fn page(&self) -> String {
        let mut page = String::new();
        for (schema, (name, file)) in &self.summaries {
            let one = self.find(name, file).unwrap_or_else(|| panic!("{file}: {name} is not serialized"));
            let mut rows = Vec::new();
            self.rows(one, "", &mut rows);
            let _ = write!(page, "\n## `{schema}`\n\n{}\n\n| key | what |\n|---|---|\n", one.doc);
            for (key, doc) in rows {
                let _ = writeln!(page, "| `{key}` | {} |", doc.replace('|', "\\|"));
            }
        }
        page
    }
}

/// The name of a type without references and options, and how many lists are around it; none of tuples.
fn named(ty: &Type) -> (Option<String>, usize) {
    let listed = |(name, lists)| (name, lists + 1);
    match ty {
        Type::Reference(ty) => named(&ty.elem),
        Type::Slice(ty) => listed(named(&ty.elem)),
        Type::Array(ty) => listed(named(&ty.elem)),
        Type::Path(ty) => {
            let last = ty.path.segments.last().unwrap();
            let inner = match &last.arguments {
                PathArguments::AngleBracketed(arguments) => arguments.args.iter().find_map(|one| match one {
                    GenericArgument::Type(ty) => Some(ty),
                    _ => None,
                }),
                _ => None,
            };
            match (last.ident.to_string().as_str(), inner) {
                ("Option" | "Box" | "Arc" | "Cow", Some(inner)) => named(inner),
                ("Vec", Some(inner)) => listed(named(inner)),
                (name, _) => (Some(name.to_owned()), 0),
            }
        }
        _ => (None, 0),
    }
}

fn is_serialized(attributes: &[Attribute]) -> bool {
    let derived = |attribute: &&Attribute| attribute.path().is_ident("derive");
    attributes.iter().filter(derived).any(|attribute| {
        let mut found = false;
        attribute
            .parse_nested_meta(|meta| {
                found |= meta.path.segments.last().is_some_and(|name| name.ident == "Serialize");
                Ok(())
            })
            .unwrap();
        found
    })
}

/// Names and texts in `#[serde(…)]`.
fn serde(attributes: &[Attribute]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        attribute
            .parse_nested_meta(|meta| {
                let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
                let value = meta.value().and_then(syn::parse::ParseBuffer::parse::<LitStr>);
                found.push((name, value.map(|value| value.value()).unwrap_or_default()));
                Ok(())
            })
            .unwrap();
    }
    found
}

/// The first paragraph of a doc comment as one line, without links into the code and the last stop.
fn doc(attributes: &[Attribute]) -> String {
    let lines =
        attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).filter_map(|attribute| {
            match &attribute.meta.require_name_value().ok()?.value {
                Expr::Lit(value) => match &value.lit {
                    Lit::Str(text) => Some(text.value().trim().to_owned()),
                    _ => None,
                },
                _ => None,
            }
        });
    let mut text = lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    while let Some((before, after)) = text.split_once("](crate::") {
        let (open, close) = (before.rfind('[').unwrap(), after.find(')').unwrap());
        text = format!("{}{}{}", &before[..open], &before[open + 1..], &after[close + 1..]);
    }
    text.replace("[`", "`").replace("`]", "`").trim_end_matches('.').to_owned()
}

#[test]
fn the_page_is_what_the_doc_comments_say() {
    let mut sources = Sources::default();
    for folder in ["crates/ergodict/src", "crates/ergodict-pages/src", "crates/ergodict-cli/src"] {
        sources.read(&Path::new(ROOT).join(folder));
    }
    let path = Path::new(ROOT).join("docs/json.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (introduction, rest) = page.split_once(BEGIN).unwrap();
    let (_, rest) = rest.split_once(END).unwrap();
    let generated = format!("{introduction}{BEGIN}{}\n{END}{rest}", sources.page());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    assert!(
        page == generated || std::env::var_os("UPDATE_DOCS").is_some(),
        "docs/json.md is stale: see its first comment"
    );
}
