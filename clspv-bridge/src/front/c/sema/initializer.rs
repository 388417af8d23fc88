//! Initializers: what is written between braces, made into normalised lists (C99, section 6.7.8).
//!
//! Each subobject gets one initializer, the last that is written for it. Lists without braces of their own
//! take as many items as they need from the list around them. Vectors take one item there, as in clang.

use super::Sema;
use super::convert::Context;
use crate::front::c::ast::*;
use crate::front::c::source::Loc;
use crate::front::c::symbol::Symbol;
use crate::front::c::types::*;

/// An initializer as written.
#[derive(Debug)]
pub enum Written {
    Expr(ExprId),
    Braced(Braced),
}

/// Braces.
#[derive(Debug)]
pub struct Braced {
    pub items: Vec<Item>,
    pub loc: Loc,
}

/// An item between braces.
#[derive(Debug)]
pub struct Item {
    pub designators: Vec<Designator>,
    pub value: Written,
    pub loc: Loc,
}

/// Part of a designation.
#[derive(Clone, Copy, Debug)]
pub enum Designator {
    Field(Symbol, Loc),
    /// `None` after an error.
    Index {
        first: Option<u64>,
        last: Option<u64>,
        loc: Loc,
    },
}

/// Initializer of a subobject: nothing yet, an expression, or a list.
#[derive(Clone, Debug, Default)]
struct Node {
    leaf: Option<ExprId>,
    is_list: bool,
    /// Elements by index, in ascending order.
    items: Vec<(u64, Node)>,
}

impl Node {
    /// Initialises the whole object by an expression.
    fn set(&mut self, expr: ExprId) {
        *self = Node { leaf: Some(expr), ..Node::default() };
    }

    /// Makes it a list, which keeps the elements of one.
    fn make_list(&mut self) {
        self.leaf = None;
        self.is_list = true;
    }

    /// The initializer of an element. An expression for the whole is given up for it.
    fn child(&mut self, index: u64) -> &mut Node {
        self.make_list();
        let at = match self.items.last() {
            Some((last, _)) if *last < index => self.items.len(),
            None => 0,
            _ => self.items.partition_point(|(i, _)| *i < index),
        };
        if self.items.get(at).is_none_or(|(i, _)| *i != index) {
            self.items.insert(at, (index, Node::default()));
        }
        // It was inserted unless it was there.
        &mut self.items[at].1
    }

    /// Number of initializers in it.
    fn count(&self) -> u64 {
        self.items.iter().map(|(_, node)| node.count()).sum::<u64>().saturating_add(1)
    }
}

/// Elements of an aggregate.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Array {
        element: QualTy,
        len: Option<u64>,
    },
    Record(RecordId),
    /// Scalars, vectors, opaque types.
    Single,
}

/// Initializers that the ranges of a unit may make.
const MAX_RANGES: u64 = 1 << 22;

/// State of initialising one object.
struct Filler<'a> {
    items: &'a [Item],
    position: usize,
}

impl<'a> Filler<'a> {
    fn item(&self) -> Option<&'a Item> {
        self.items.get(self.position)
    }
}

impl Sema<'_> {
    /// Converts an initializer to the type of its object. Returns it, and the type with the length that it
    /// gives to an array.
    /// An expression that does not fit is reported at `at`.
    pub fn initialize(&mut self, ty: QualTy, written: &Written, at: Loc) -> (ExprId, QualTy) {
        let mut node = Node::default();
        let loc = match written {
            Written::Expr(expr) => {
                let loc = self.expr(*expr).loc;
                self.initialize_whole(ty, *expr, at, &mut node);
                loc
            }
            Written::Braced(braced) => {
                self.initialize_braced(ty, braced, &mut node);
                braced.loc
            }
        };
        let completed = self.completed(ty, &node);
        (self.built(completed, node, loc), completed)
    }

    fn shape(&self, ty: QualTy) -> Shape {
        match self.types.resolved(ty.ty) {
            TypeKind::Array(element, len) => Shape::Array { element: *element, len: *len },
            TypeKind::Record(id) => Shape::Record(*id),
            _ => Shape::Single,
        }
    }

    /// Whether a string initialises an array.
    fn is_string_for(&self, ty: QualTy, expr: ExprId) -> bool {
        let is_bytes = match self.shape(ty) {
            Shape::Array { element, .. } => {
                matches!(self.types.resolved(element.ty), TypeKind::Arith(Arith::Char | Arith::UChar))
            }
            _ => false,
        };
        is_bytes && matches!(self.expr(expr).kind, ExprKind::Str(_))
    }

    /// Initialises an object by an expression without braces.
    fn initialize_whole(&mut self, ty: QualTy, expr: ExprId, at: Loc, node: &mut Node) {
        if self.is_string_for(ty, expr) {
            self.check_string(ty, expr);
            node.set(expr);
            return;
        }
        if let (Shape::Array { .. }, false) = (self.shape(ty), self.is_error(expr)) {
            if let ExprKind::CompoundLiteral(var) = self.expr(expr).kind
                && self.same_type(self.ty(expr), ty)
                && let Some(init) = self.var(var).and_then(|var| var.init)
            {
                node.set(init);
                return;
            }
            let what = match self.shape(ty) {
                Shape::Array { element, .. }
                    if matches!(self.types.resolved(element.ty), TypeKind::Arith(Arith::Char)) =>
                {
                    "array initializer must be an initializer list or string literal"
                }
                _ => "array initializer must be an initializer list",
            };
            self.error(at, what);
            self.underline_expr(expr);
            node.set(self.error_expr(at));
            return;
        }
        node.set(self.convert(expr, ty, Context::Init(at)));
    }

    fn convert_item(&mut self, ty: QualTy, expr: ExprId) -> ExprId {
        let loc = self.begin(expr);
        self.convert(expr, ty, Context::Init(loc))
    }

    fn check_string(&mut self, ty: QualTy, expr: ExprId) {
        let ExprKind::Str(id) = self.expr(expr).kind else { return };
        let bytes = self.unit.strings.get(id.0 as usize).map_or(0, |s| s.len() as u64);
        if let Shape::Array { len: Some(len), .. } = self.shape(ty)
            && bytes > len.saturating_add(1)
        {
            let loc = self.expr(expr).loc;
            self.warning("excess-initializers", loc, "initializer-string for char array is too long");
        }
    }

    /// Initialises an object by braces.
    fn initialize_braced(&mut self, ty: QualTy, braced: &Braced, node: &mut Node) {
        *node = Node::default();
        match self.shape(ty) {
            Shape::Single => self.initialize_single(ty, braced, node),
            _ => {
                if let [Item { designators, value: Written::Expr(expr), .. }] = braced.items.as_slice()
                    && designators.is_empty()
                    && self.is_string_for(ty, *expr)
                {
                    return self.initialize_whole(ty, *expr, braced.loc, node);
                }
                node.make_list();
                let mut filler = Filler { items: &braced.items, position: 0 };
                self.fill_list(ty, &mut filler, node);
            }
        }
    }

    /// Braces around a scalar or the lanes of a vector.
    fn initialize_single(&mut self, ty: QualTy, braced: &Braced, node: &mut Node) {
        if self.types.resolved(ty.ty) == &TypeKind::Error {
            return node.set(self.error_expr(braced.loc));
        }
        if let Some(item) = braced.items.iter().find(|item| !item.designators.is_empty()) {
            let text = format!("designator in initializer for scalar type {}", self.quoted(ty));
            self.error(item.loc, text);
            return;
        }
        if let TypeKind::Vector(arith, lanes) = *self.types.resolved(ty.ty) {
            return self.initialize_vector(ty, arith, lanes, braced, node);
        }
        match braced.items.as_slice() {
            // Zero.
            [] => {
                let zero = self.new_int(0, INT, braced.loc);
                node.set(self.convert_item(ty, zero));
            }
            [first, rest @ ..] => {
                if let Some(excess) = rest.first() {
                    let text = "excess elements in scalar initializer";
                    self.warning("excess-initializers", excess.loc, text);
                }
                match &first.value {
                    Written::Expr(expr) => node.set(self.convert_item(ty, *expr)),
                    Written::Braced(inner) => {
                        let text = "too many braces around scalar initializer";
                        self.warning("many-braces-around-scalar-init", inner.loc, text);
                        self.initialize_single(ty, inner, node);
                    }
                }
            }
        }
    }

    /// Braces around lanes: scalars and vectors, as many lanes together as the vector has.
    fn initialize_vector(&mut self, ty: QualTy, arith: Arith, lanes: u8, braced: &Braced, node: &mut Node) {
        if braced.items.is_empty() {
            node.make_list();
            return;
        }
        let mut parts = Vec::with_capacity(braced.items.len().min(16));
        let mut count = 0u32;
        for item in &braced.items {
            let Written::Expr(expr) = item.value else {
                let Written::Braced(inner) = &item.value else { continue };
                let mut lane = Node::default();
                self.initialize_single(QualTy::plain(scalar(arith)), inner, &mut lane);
                if let Some(expr) = lane.leaf {
                    parts.push(expr);
                    count += 1;
                }
                continue;
            };
            if self.is_error(expr) {
                node.set(expr);
                return;
            }
            let own = match *self.types.resolved(self.ty(expr).ty) {
                TypeKind::Vector(_, lanes) => lanes,
                _ => 1,
            };
            let target =
                if own == 1 { scalar(arith) } else { self.types.intern(TypeKind::Vector(arith, own)) };
            parts.push(self.convert_item(QualTy::plain(target), expr));
            count += u32::from(own);
        }
        if count != u32::from(lanes) {
            let text = if count < u32::from(lanes) {
                format!("too few elements in vector initialization (expected {lanes} elements, have {count})")
            } else {
                "excess elements in vector initializer".to_owned()
            };
            self.error(braced.loc, text);
            node.set(self.error_expr(braced.loc));
            return;
        }
        if let [whole] = parts.as_slice() {
            node.set(*whole);
            return;
        }
        let list = self.new_list(&parts);
        let ty = self.types.canonical(ty).ty;
        node.set(self.new_value(ExprKind::VectorLiteral(list), ty, braced.loc));
    }

    /// Initialises the elements of an object by all items of its braces.
    fn fill_list(&mut self, ty: QualTy, filler: &mut Filler<'_>, node: &mut Node) {
        let mut index = self.next_element(ty, 0);
        while let Some(item) = filler.item() {
            if !item.designators.is_empty() {
                index = self.fill_designated(ty, &item.designators, filler, node);
                continue;
            }
            let Some((at, element)) = index.and_then(|at| Some((at, self.subobject(ty, at)?))) else {
                let what = match self.shape(ty) {
                    Shape::Array { .. } => "array",
                    Shape::Record(id) if self.is_union(id) => "union",
                    _ => "struct",
                };
                let text = format!("excess elements in {what} initializer");
                self.warning("excess-initializers", item.loc, text);
                filler.position = filler.items.len();
                return;
            };
            self.fill_element(element, filler, node.child(at));
            index = self.next_element(ty, at + 1);
        }
    }

    /// Initialises an element by the next item, or by as many as it needs.
    fn fill_element(&mut self, ty: QualTy, filler: &mut Filler<'_>, node: &mut Node) {
        let Some(item) = filler.item() else { return };
        match &item.value {
            Written::Braced(braced) => {
                filler.position += 1;
                self.initialize_braced(ty, braced, node);
            }
            Written::Expr(expr) if self.takes_whole(ty, *expr) => {
                filler.position += 1;
                self.initialize_whole(ty, *expr, self.begin(*expr), node);
            }
            Written::Expr(_) => {
                node.make_list();
                let before = filler.position;
                let first = self.next_element(ty, 0);
                self.fill_without_braces(ty, first, filler, node);
                if filler.position == before {
                    let text = "initializer for aggregate with no elements requires explicit braces";
                    self.error(item.loc, text);
                    filler.position += 1;
                }
            }
        }
    }

    /// Whether an expression initialises all of an element.
    fn takes_whole(&self, ty: QualTy, expr: ExprId) -> bool {
        match self.shape(ty) {
            Shape::Single => true,
            Shape::Record(_) => self.same_type(self.ty(expr), ty) || self.is_error(expr),
            Shape::Array { .. } => self.is_string_for(ty, expr) || self.is_error(expr),
        }
    }

    /// Initialises elements from an index on, until a designator follows or all have been.
    fn fill_without_braces(
        &mut self,
        ty: QualTy,
        first: Option<u64>,
        filler: &mut Filler<'_>,
        node: &mut Node,
    ) {
        let mut index = first;
        while let (Some(at), Some(item)) = (index, filler.item()) {
            let Some(element) = self.subobject(ty, at) else { return };
            if !item.designators.is_empty() {
                return;
            }
            self.fill_element(element, filler, node.child(at));
            index = self.next_element(ty, at + 1);
        }
    }

    /// Initialises what the designators of the next item name, and the elements after it that the items
    /// without designators fill. Returns the index of the element that follows.
    fn fill_designated(
        &mut self,
        ty: QualTy,
        designators: &[Designator],
        filler: &mut Filler<'_>,
        node: &mut Node,
    ) -> Option<u64> {
        let (designator, rest) = designators.split_first()?;
        let Some(path) = self.designated(ty, designator) else {
            filler.position += 1;
            return None;
        };
        let (last, mut inner, mut at_node) = (*path.indices.last()?, ty, &mut *node);
        for (depth, index) in path.indices.iter().enumerate() {
            if let Shape::Record(id) = self.shape(inner)
                && self.is_union(id)
                && at_node.items.iter().any(|(i, _)| i != index)
            {
                // Another member of the union was initialised.
                *at_node = Node::default();
            }
            inner = self.subobject(inner, *index)?;
            if depth + 1 < path.indices.len() {
                at_node = at_node.child(*index);
            }
        }
        let start = filler.position;
        let child = at_node.child(last);
        let mut next = None;
        if rest.is_empty() {
            self.fill_element(inner, filler, child);
        } else {
            next = self.fill_designated(inner, rest, filler, child);
        }
        filler.position = filler.position.max(start + 1);
        if path.end > last {
            self.repeat(at_node, last, path.end, filler);
        }
        // The items after it continue in the innermost object.
        self.fill_without_braces(inner, next, filler, at_node.child(path.end));
        if path.indices.len() > 1 {
            // A member of an anonymous record: its other members follow before those of the outer one.
            let (first, below) = path.indices.split_first()?;
            let mut anonymous = self.subobject(ty, *first)?;
            let mut child = node.child(*first);
            for index in below.iter().take(below.len() - 1) {
                anonymous = self.subobject(anonymous, *index)?;
                child = child.child(*index);
            }
            let next = self.next_element(anonymous, path.end + 1);
            self.fill_without_braces(anonymous, next, filler, child);
            return self.next_element(ty, first + 1);
        }
        self.next_element(ty, path.end.checked_add(1)?)
    }

    /// Gives the elements of a range the initializer of the first.
    fn repeat(&mut self, node: &mut Node, first: u64, last: u64, filler: &Filler<'_>) {
        let model = node.child(first).clone();
        let added = model.count().saturating_mul(last - first);
        self.range_elements = self.range_elements.saturating_add(added);
        if self.range_elements > MAX_RANGES {
            let loc = filler.items.first().map_or(Loc::default(), |item| item.loc);
            self.error(loc, "array designator range is too large");
            return;
        }
        for index in first + 1..=last {
            *node.child(index) = model.clone();
        }
    }

    /// Elements that a designator names.
    fn designated(&mut self, ty: QualTy, designator: &Designator) -> Option<Designated> {
        match (*designator, self.shape(ty)) {
            (Designator::Field(name, loc), Shape::Record(id)) => {
                let Some(indices) = self.types.field_path(id, name) else {
                    let text = format!(
                        "field designator '{}' does not refer to any field in type {}",
                        self.text(name),
                        self.quoted(ty)
                    );
                    self.error(loc, text);
                    return None;
                };
                let end = *indices.last()?;
                Some(Designated { indices, end })
            }
            (Designator::Field(_, loc), _) => {
                let text = format!("field designator in initializer for type {}", self.quoted(ty));
                self.error(loc, text);
                None
            }
            (Designator::Index { first, last, loc }, Shape::Array { len, .. }) => {
                let (first, last) = (first?, last?);
                let beyond = len.is_some_and(|len| last >= len);
                if first > last || beyond || last >= 1 << 40 {
                    let text = if first > last {
                        format!("array designator range [{first}, {last}] is empty")
                    } else if beyond {
                        format!("array designator index ({last}) exceeds array bounds ({})", len.unwrap_or(0))
                    } else {
                        "array designator range is too large".to_owned()
                    };
                    self.error(loc, text);
                    return None;
                }
                Some(Designated { indices: vec![first], end: last })
            }
            (Designator::Index { loc, .. }, _) => {
                let text = format!("array designator cannot initialize non-array type {}", self.quoted(ty));
                self.error(loc, text);
                None
            }
        }
    }

    fn is_union(&self, id: RecordId) -> bool {
        self.types.records.get(id.0 as usize).is_some_and(|record| record.is_union)
    }

    /// Type of an element; `None` beyond the end.
    fn subobject(&self, ty: QualTy, index: u64) -> Option<QualTy> {
        match self.shape(ty) {
            Shape::Array { element, len } => len.is_none_or(|len| index < len).then_some(element),
            Shape::Record(id) => {
                let record = self.types.records.get(id.0 as usize)?;
                record.fields.get(usize::try_from(index).ok()?).map(|field| field.ty)
            }
            Shape::Single => None,
        }
    }

    /// Index of the first element from `from` on that an item without designator initialises.
    fn next_element(&self, ty: QualTy, from: u64) -> Option<u64> {
        match self.shape(ty) {
            Shape::Array { len, .. } => len.is_none_or(|len| from < len).then_some(from),
            Shape::Record(id) => {
                let record = self.types.records.get(id.0 as usize)?;
                let named =
                    |field: &Field| field.name.is_some() || field.bits.is_none() && self.is_record(field.ty);
                let first = record.fields.iter().position(named)? as u64;
                if record.is_union && from > first {
                    return None;
                }
                let rest = record.fields.get(usize::try_from(from).ok()?..)?;
                Some(from + rest.iter().position(named)? as u64)
            }
            Shape::Single => None,
        }
    }

    fn is_record(&self, ty: QualTy) -> bool {
        matches!(self.types.resolved(ty.ty), TypeKind::Record(_))
    }

    /// The type with the length that the initializer gives to an array.
    fn completed(&mut self, ty: QualTy, node: &Node) -> QualTy {
        let Shape::Array { element, len: None } = self.shape(ty) else { return ty };
        let len = match node.leaf {
            None => node.items.last().map_or(0, |(last, _)| last + 1),
            Some(expr) => match self.expr(expr).kind {
                ExprKind::Str(id) => self.unit.strings.get(id.0 as usize).map_or(0, |s| s.len() as u64),
                ExprKind::Init(_) => return self.ty(expr).in_space(ty.quals.space),
                _ => return QualTy::plain(ERROR),
            },
        };
        let written = match *self.types.kind(ty.ty) {
            TypeKind::Array(of, _) => of,
            _ => element,
        };
        let quals = self.types.canonical(ty).quals;
        QualTy { ty: self.types.intern(TypeKind::Array(written, Some(len))), quals }
    }

    /// The expression of an initializer.
    fn built(&mut self, ty: QualTy, node: Node, loc: Loc) -> ExprId {
        if let Some(expr) = node.leaf {
            return expr;
        }
        let mut items = Vec::with_capacity(node.items.len());
        for (index, child) in node.items {
            if child.leaf.is_none() && !child.is_list {
                continue;
            }
            let Some(element) = self.subobject(ty, index) else { continue };
            items.push((index, self.built(element, child, loc)));
        }
        self.unit.inits.push(InitList { items });
        let init = InitId(self.unit.inits.len() as u32 - 1);
        let ty = self.types.canonical(ty).ty;
        self.new_value(ExprKind::Init(init), ty, loc)
    }
}

/// Elements that a designator names: a path of indices into anonymous records, whose last index begins a
/// range.
struct Designated {
    indices: Vec<u64>,
    end: u64,
}

impl Types {
    /// Indices of fields that lead to a member: one, or more through anonymous records.
    pub fn field_path(&self, record: RecordId, name: Symbol) -> Option<Vec<u64>> {
        let fields = &self.records.get(record.0 as usize)?.fields;
        if let Some(index) = fields.iter().position(|field| field.name == Some(name)) {
            return Some(vec![index as u64]);
        }
        fields.iter().enumerate().filter(|(_, field)| field.name.is_none()).find_map(|(index, field)| {
            let TypeKind::Record(inner) = *self.resolved(field.ty.ty) else { return None };
            let mut path = self.field_path(inner, name)?;
            path.insert(0, index as u64);
            Some(path)
        })
    }
}
