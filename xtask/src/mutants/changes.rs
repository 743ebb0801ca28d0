//! Small changes of a source file: comparisons, signs, limits, numbers, negations, results.

use anyhow::{Context, Result};
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprLit, Lit, UnOp};

/// Text to be replaced by other text when the change is made.
#[derive(Clone)]
pub(super) struct Change {
    /// In bytes of the file.
    pub(super) range: Range<usize>,
    pub(super) line: usize,
    /// The expression, and what it becomes.
    pub(super) what: String,
    replacement: String,
    /// Whether the replacement is put before what is there, as a statement.
    before: bool,
}

/// All changes of a file that can be switched at run time, but for those in tests, constants and macros.
pub(super) fn changes(text: &str) -> Result<Vec<Change>> {
    let file = syn::parse_file(text).context("is no Rust")?;
    let mut finder = Finder { text, found: Vec::new() };
    finder.visit_file(&file);
    Ok(finder.found)
}

/// The file with all changes in it, each made only if its number is chosen.
pub(super) fn apply(text: &str, changes: &[(u32, &Change)]) -> String {
    let mut changes = changes.to_vec();
    changes.sort_by_key(|(_, change)| (change.range.start, change.range.end));
    let (mut out, mut at) = (String::new(), 0);
    for (number, change) in changes {
        out += &text[at..change.range.start];
        let is = format!("crate::mutant::is({number})");
        let old = &text[change.range.clone()];
        let made = if change.before {
            format!("if {is} {{ {} }} {old}", change.replacement)
        } else {
            format!("(if {is} {{ {} }} else {{ {old} }})", change.replacement)
        };
        out += &made;
        at = change.range.end;
    }
    out + &text[at..]
}

struct Finder<'a> {
    text: &'a str,
    found: Vec<Change>,
}

impl Finder<'_> {
    fn range(of: &impl Spanned) -> Range<usize> {
        of.span().byte_range()
    }

    fn add(&mut self, of: &impl Spanned, replacement: String) {
        let (range, line) = (Self::range(of), of.span().start().line);
        let what = format!("`{}` becomes `{}`", one_line(&self.text[range.clone()]), one_line(&replacement));
        self.found.push(Change { range, line, what, replacement, before: false });
    }

    /// A number is shown with its line.
    fn add_number(&mut self, of: &impl Spanned, replacement: String) {
        let range = Self::range(of);
        let start = self.text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let end = self.text[range.end..].find('\n').map_or(self.text.len(), |at| range.end + at);
        let [before, after] = [start..range.start, range.end..end].map(|part| &self.text[part]);
        let (old, new) = (&self.text[start..end], format!("{before}{replacement}{after}"));
        let what = format!("`{}` becomes `{}`", one_line(old), one_line(&new));
        self.found.push(Change { range, line: of.span().start().line, what, replacement, before: false });
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether an item is compiled for tests only.
fn for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let tokens = match &attribute.meta {
            syn::Meta::List(list) => list.tokens.to_string(),
            meta => return meta.path().is_ident("test"),
        };
        attribute.path().is_ident("cfg") && tokens.contains("test")
    })
}

/// What an operator becomes.
fn other(operator: &BinOp) -> Option<&'static str> {
    Some(match operator {
        BinOp::Lt(_) => "<=",
        BinOp::Le(_) => "<",
        BinOp::Gt(_) => ">=",
        BinOp::Ge(_) => ">",
        BinOp::Eq(_) => "!=",
        BinOp::Ne(_) => "==",
        BinOp::Add(_) => "-",
        BinOp::Sub(_) => "+",
        BinOp::Mul(_) => "/",
        BinOp::Div(_) => "*",
        BinOp::And(_) => "||",
        BinOp::Or(_) => "&&",
        BinOp::AddAssign(_) => "-=",
        BinOp::SubAssign(_) => "+=",
        BinOp::MulAssign(_) => "/=",
        BinOp::DivAssign(_) => "*=",
        _ => return None,
    })
}

/// Whether a value of a function can be another by its type alone.
fn plain_value(output: &syn::ReturnType) -> Option<&'static str> {
    let syn::ReturnType::Type(_, kind) = output else { return None };
    let syn::Type::Path(path) = &**kind else { return None };
    let name = path.path.get_ident()?.to_string();
    Some(match name.as_str() {
        "bool" => "false",
        "f32" | "f64" => "0.0",
        "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i32" | "i64" => "0",
        _ => return None,
    })
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let skip = match item {
            syn::Item::Const(_) | syn::Item::Static(_) | syn::Item::Enum(_) | syn::Item::Macro(_) => true,
            syn::Item::Mod(item) => for_tests(&item.attrs) || item.ident == "tests",
            syn::Item::Fn(item) => for_tests(&item.attrs) || item.sig.constness.is_some(),
            syn::Item::Impl(item) => for_tests(&item.attrs),
            _ => false,
        };
        if !skip {
            if let syn::Item::Fn(item) = item {
                self.early(&item.sig, &item.block);
            }
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        if let syn::ImplItem::Fn(item) = item
            && item.sig.constness.is_none()
            && !for_tests(&item.attrs)
        {
            self.early(&item.sig, &item.block);
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Binary(binary) => {
                let part = |of: Range<usize>| self.text[of].to_owned();
                let (left, right) = (part(Self::range(&binary.left)), part(Self::range(&binary.right)));
                // A pattern of `if let … && …` can only stay.
                let binds = matches!(binary.op, BinOp::And(_)) && format!("{left} {right}").contains("let ");
                if let Some(operator) = other(&binary.op).filter(|_| !binds) {
                    self.add(binary, format!("{left} {operator} {right}"));
                }
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_) | UnOp::Neg(_)) => {
                // Twice, so that a reference becomes a value as it did before.
                let sign = if matches!(unary.op, UnOp::Not(_)) { '!' } else { '-' };
                let old = &self.text[Self::range(unary)];
                self.add(unary, format!("{sign}({old})"));
            }
            Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => {
                if let Ok(value) = number.base10_parse::<u64>() {
                    let changed = if value < 100 { value + 1 } else { value - 1 };
                    self.add_number(number, format!("{changed}{}", number.suffix()));
                }
            }
            Expr::Lit(ExprLit { lit: Lit::Float(number), .. }) => {
                self.add_number(number, format!("({number} + 1.0)"));
            }
            _ => {}
        }
        visit::visit_expr(self, expr);
    }

    // Where only constants can be.
    fn visit_expr_repeat(&mut self, expr: &'ast syn::ExprRepeat) {
        self.visit_expr(&expr.expr);
    }
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

impl Finder<'_> {
    /// The whole function replaced by a plain value.
    fn early(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let (Some(value), Some(first)) = (plain_value(&signature.output), block.stmts.first()) else {
            return;
        };
        let start = Self::range(first).start;
        let what = format!("`{}` returns `{value}`", signature.ident);
        let line = first.span().start().line;
        self.found.push(Change {
            range: start..start,
            line,
            what,
            replacement: format!("return {value};"),
            before: true,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> Vec<String> {
        changes(text).unwrap().iter().map(|change| apply(text, &[(7, change)])).collect()
    }

    #[test]
    fn every_kind_of_change_is_made() {
        let on = |old: &str, new: &str| format!("(if crate::mutant::is(7) {{ {new} }} else {{ {old} }})");
        assert_eq!(made("fn f() { g(a < b) }"), [format!("fn f() {{ g({}) }}", on("a < b", "a <= b"))]);
        assert_eq!(made("fn f() { g(!a) }"), [format!("fn f() {{ g({}) }}", on("!a", "!(!a)"))]);
        assert_eq!(made("fn f() { a += b; }"), [format!("fn f() {{ {}; }}", on("a += b", "a -= b"))]);
        assert_eq!(made("fn f() { g(3u8) }"), [format!("fn f() {{ g({}) }}", on("3u8", "4u8"))]);
        assert_eq!(
            made("fn f() -> bool { g() }"),
            ["fn f() -> bool { if crate::mutant::is(7) { return false; } g() }"]
        );
        assert_eq!(made("impl A { fn f(&self) { g(a * b) } }").len(), 1);
    }

    #[test]
    fn constants_tests_and_macros_stay() {
        for text in [
            "const A: u8 = 1 + 2;",
            "static A: u8 = 1;",
            "const fn f() -> u8 { 1 }",
            "#[cfg(test)] mod t { fn f() { g(1) } }",
            "#[test] fn f() { g(1) }",
            "fn f() { let x: [u8; 3]; }",
            "fn f() { h::<3>() }",
            "fn f() { m!(1 + 2) }",
            "fn f() { match x { 0 => {} _ => {} } }",
            "enum E { A = 1 }",
            "fn f() { if let Some(a) = b && c {} }",
        ] {
            assert_eq!(made(text), [""; 0], "{text}");
        }
        assert_eq!(made("fn f() { let x = [a; 4]; }"), [""; 0]);
        assert!(changes("fn f(").is_err());
    }

    #[test]
    fn several_changes_of_a_file_stay_apart() {
        let text = "fn f() -> u8 { 1 }";
        let found = changes(text).unwrap();
        let both: Vec<(u32, &Change)> = (1..).zip(found.iter().rev()).collect();
        assert_eq!(
            apply(text, &both),
            "fn f() -> u8 { if crate::mutant::is(2) { return 0; } (if crate::mutant::is(1) { 2 } else { 1 }) }"
        );
        let text = "fn f() { g(a < b); h(1) }";
        let found = changes(text).unwrap();
        let both: Vec<(u32, &Change)> = (1..).zip(&found).collect();
        let whole = apply(text, &both);
        assert!(
            whole.contains("is(1)") && whole.contains("is(2)") && whole.starts_with("fn f() { g((if"),
            "{whole}"
        );
    }
}
