//! Graph of the modules of a crate: which files name items of which others, and its rings.
//!
//! An edge leads from the module that names an item to the module that defines it: re-exports are followed,
//! so that `mod.rs` files that only curate a surface are no part of it. Unit tests do not count.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use syn::visit::Visit;

/// A module by its path below the crate's root; empty for the root.
type ModulePath = Vec<String>;

/// A path as written in a module, from the crate's root: `crate::`, `super::` and `self::` are resolved.
type ItemPath = Vec<String>;

#[derive(Default)]
struct Module {
    /// Items defined here.
    items: BTreeSet<String>,
    /// Names that `use` declarations bring in: name -> path.
    uses: HashMap<String, ItemPath>,
    /// The names among `uses` that are re-exported.
    exports: BTreeSet<String>,
    /// Paths of glob imports.
    globs: Vec<ItemPath>,
    /// Other paths named in code.
    paths: BTreeSet<ItemPath>,
}

/// The modules of a crate with what they depend on.
pub struct ModuleGraph {
    modules: BTreeMap<ModulePath, Module>,
}

impl ModuleGraph {
    /// Reads the sources below `root`, the folder of `lib.rs`.
    ///
    /// Modules named `tests`, files of tests and generated files are left out, and so is `bin`.
    pub fn read(root: &Path) -> ModuleGraph {
        let mut graph = ModuleGraph { modules: BTreeMap::new() };
        graph.read_folder(root, &[]);
        graph
    }

    fn read_folder(&mut self, folder: &Path, at: &[String]) {
        let mut entries: Vec<_> = fs::read_dir(folder).unwrap().flatten().map(|e| e.path()).collect();
        entries.sort();
        for path in entries {
            let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default().to_string();
            let mut module = at.to_vec();
            if path.is_dir() {
                if stem != "bin" && stem != "tests" {
                    module.push(stem);
                    self.read_folder(&path, &module);
                }
                continue;
            }
            let is_rust = path.extension().is_some_and(|e| e == "rs");
            if !is_rust || stem == "tests" || stem.ends_with("_tests") || stem == "main" {
                continue;
            }
            if !matches!(stem.as_str(), "mod" | "lib") {
                module.push(stem);
            }
            let text = fs::read_to_string(&path).unwrap();
            let file = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let mut reader = Reader { at: module.clone(), inner: 0, module: Module::default() };
            reader.visit_file(&file);
            self.modules.insert(module, reader.module);
        }
    }

    /// The module that defines what `path` names; `None` for items of other crates.
    fn resolve(&self, path: &[String], depth: usize) -> Option<&ModulePath> {
        // The longest prefix that is a module.
        let (length, (module, content)) = (0..=path.len())
            .rev()
            .find_map(|n| self.modules.get_key_value(&path[..n]).map(|found| (n, found)))?;
        let Some(name) = path.get(length) else { return Some(module) };
        if content.items.contains(name) || depth == 0 {
            return Some(module);
        }
        if let Some(target) = content.uses.get(name) {
            return self.resolve(target, depth - 1).or(Some(module));
        }
        let by_glob = content.globs.iter().find_map(|glob| {
            let mut path = glob.clone();
            path.push(name.clone());
            self.resolve(&path, depth - 1).filter(|target| self.modules[*target].items.contains(name))
        });
        by_glob.or(Some(module))
    }

    /// The modules that each module depends on.
    pub fn edges(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut edges = BTreeMap::new();
        for (path, module) in &self.modules {
            let mut targets = BTreeSet::new();
            // A re-export alone is not a dependency: modules that name the item depend on where it is
            // defined.
            let is_named = |name: &String| {
                let inside = path.iter().chain([name]).cloned().collect::<ItemPath>();
                module.paths.range(inside.clone()..).next().is_some_and(|p| p.starts_with(&inside))
            };
            let imports = module.uses.iter().filter(|(n, _)| !module.exports.contains(*n) || is_named(n));
            let imported = imports.map(|(_, path)| path);
            for named in module.paths.iter().chain(imported) {
                if let Some(target) = self.resolve(named, 8)
                    && target != path
                {
                    targets.insert(target.join("::"));
                }
            }
            edges.insert(path.join("::"), targets);
        }
        edges
    }

    /// Rings: sets of more than one module each of which depends on all others, the largest first.
    pub fn rings(&self) -> Vec<Vec<String>> {
        let edges = self.edges();
        let reachable: BTreeMap<&str, BTreeSet<&str>> =
            edges.keys().map(|from| (from.as_str(), reach(from, &edges))).collect();
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut rings = Vec::new();
        for (&from, to) in &reachable {
            if seen.contains(from) {
                continue;
            }
            let ring: Vec<String> = to
                .iter()
                .filter(|other| reachable.get(*other).is_some_and(|back| back.contains(from)))
                .map(|m| m.to_string())
                .collect();
            seen.extend(to.iter().filter(|m| ring.iter().any(|r| r == *m)));
            if ring.len() > 1 {
                rings.push(ring);
            }
        }
        rings.sort_by_key(|ring| std::cmp::Reverse(ring.len()));
        rings
    }
}

/// Modules that `from` depends on, directly or not; itself only if it is part of a ring.
fn reach<'g>(from: &str, edges: &'g BTreeMap<String, BTreeSet<String>>) -> BTreeSet<&'g str> {
    let mut found = BTreeSet::new();
    let mut work: Vec<&str> = edges.get(from).into_iter().flatten().map(String::as_str).collect();
    while let Some(module) = work.pop() {
        if found.insert(module) {
            work.extend(edges.get(module).into_iter().flatten().map(String::as_str));
        }
    }
    found
}

struct Reader {
    at: ModulePath,
    /// Depth of inline modules.
    inner: usize,
    module: Module,
}

impl Reader {
    /// A path from the crate's root; `None` if it leads out of the crate.
    fn absolute(&self, path: &[String]) -> Option<ItemPath> {
        let first = path.first()?;
        let mut base = self.at.clone();
        let mut rest = path;
        match first.as_str() {
            "crate" => {
                base.clear();
                rest = &rest[1..];
            }
            "self" if self.inner == 0 => rest = &rest[1..],
            "super" => {
                let mut levels = self.inner;
                while rest.first().is_some_and(|s| s == "super") {
                    rest = &rest[1..];
                    if levels > 0 {
                        levels -= 1;
                    } else {
                        base.pop()?;
                    }
                }
            }
            _ => {}
        }
        base.extend(rest.iter().cloned());
        Some(base)
    }

    fn tree(&mut self, prefix: &[String], tree: &syn::UseTree) {
        let mut path = prefix.to_vec();
        match tree {
            syn::UseTree::Path(p) => {
                path.push(p.ident.to_string());
                self.tree(&path, &p.tree);
            }
            syn::UseTree::Name(n) => {
                let name = n.ident.to_string();
                if name == "self" {
                    self.import(path.last().cloned().unwrap_or_default(), &path);
                } else {
                    path.push(name.clone());
                    self.import(name, &path);
                }
            }
            syn::UseTree::Rename(r) => {
                if r.ident != "self" {
                    path.push(r.ident.to_string());
                }
                self.import(r.rename.to_string(), &path);
            }
            syn::UseTree::Glob(_) => {
                if let Some(path) = self.absolute(&path) {
                    self.module.globs.push(path);
                }
            }
            syn::UseTree::Group(g) => g.items.iter().for_each(|t| self.tree(prefix, t)),
        }
    }

    fn import(&mut self, name: String, path: &[String]) {
        if let Some(path) = self.absolute(path) {
            self.module.uses.insert(name, path);
        }
    }

    fn named(&mut self, segments: &[String]) {
        if let Some(path) = self.absolute(segments) {
            self.module.paths.insert(path);
        }
    }

    fn define(&mut self, name: &syn::Ident) {
        self.module.items.insert(name.to_string());
    }
}

fn is_test_only(attributes: &[syn::Attribute]) -> bool {
    attributes
        .iter()
        .any(|a| a.path().is_ident("cfg") && a.parse_args::<syn::Path>().is_ok_and(|p| p.is_ident("test")))
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let (attributes, name) = match item {
            syn::Item::Fn(i) => (&i.attrs, Some(&i.sig.ident)),
            syn::Item::Struct(i) => (&i.attrs, Some(&i.ident)),
            syn::Item::Enum(i) => (&i.attrs, Some(&i.ident)),
            syn::Item::Union(i) => (&i.attrs, Some(&i.ident)),
            syn::Item::Trait(i) => (&i.attrs, Some(&i.ident)),
            syn::Item::Type(i) => (&i.attrs, Some(&i.ident)),
            syn::Item::Const(i) => (&i.attrs, Some(&i.ident)),
            syn::Item::Static(i) => (&i.attrs, Some(&i.ident)),
            syn::Item::Macro(i) => (&i.attrs, i.ident.as_ref()),
            syn::Item::Impl(i) => (&i.attrs, None),
            syn::Item::Use(i) => (&i.attrs, None),
            syn::Item::Mod(i) => (&i.attrs, None),
            _ => return,
        };
        if is_test_only(attributes) {
            return;
        }
        if let Some(name) = name.filter(|_| self.inner == 0) {
            self.define(name);
        }
        match item {
            syn::Item::Mod(m) if m.content.is_some() => {
                self.inner += 1;
                syn::visit::visit_item(self, item);
                self.inner -= 1;
            }
            _ => syn::visit::visit_item(self, item),
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let before: BTreeSet<String> = self.module.uses.keys().cloned().collect();
        self.tree(&[], &item.tree);
        if !matches!(item.vis, syn::Visibility::Inherited) {
            let new = self.module.uses.keys().filter(|n| !before.contains(*n)).cloned();
            self.module.exports.extend(new.collect::<Vec<_>>());
        }
    }

    /// The path of `pub(in path)` says who may name the item, not what the module depends on.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        self.named(&segments);
        syn::visit::visit_path(self, path);
    }

    /// Arguments of macros are tokens: paths in them are found as text.
    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let text = mac.tokens.to_string().replace(' ', "");
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        for word in text.split(|c| !is_word(c)).filter(|w| w.contains("::")) {
            let segments: Vec<String> = word.trim_matches(':').split("::").map(str::to_string).collect();
            self.named(&segments);
        }
        self.visit_path(&mac.path);
    }
}
