//! Records and enumerations: their definition and the layout of their members.

use super::Sema;
use super::constant::Constant;
use super::scope::{Binding, Tag};
use crate::front::c::ast::ExprId;
use crate::front::c::layout::layout;
use crate::front::c::source::Loc;
use crate::front::c::symbol::Symbol;
use crate::front::c::types::*;
use rustc_hash::FxHashSet;

/// A member as declared.
#[derive(Clone, Copy, Debug)]
pub struct FieldSpec {
    pub name: Option<Symbol>,
    pub ty: QualTy,
    /// Width of a bit-field.
    pub bits: Option<u8>,
    pub align: Option<u32>,
    pub is_packed: bool,
    pub loc: Loc,
}

/// Definition of a record whose members are being read.
#[derive(Debug)]
pub struct RecordBuilder {
    id: RecordId,
    members: Vec<FieldSpec>,
    names: FxHashSet<Symbol>,
    /// Index of the first array without a length.
    flexible: Option<usize>,
}

impl RecordBuilder {
    /// A definition without members.
    pub fn new(id: RecordId) -> RecordBuilder {
        RecordBuilder { id, members: Vec::new(), names: FxHashSet::default(), flexible: None }
    }
}

/// Definition of an enumeration whose constants are being read.
#[derive(Debug)]
pub struct EnumBuilder {
    id: EnumId,
    next: i128,
    low: i128,
    high: i128,
    is_empty: bool,
}

impl EnumBuilder {
    /// A definition without constants.
    pub fn new(id: EnumId) -> EnumBuilder {
        EnumBuilder { id, next: 0, low: 0, high: 0, is_empty: true }
    }

    /// Whether there is no constant.
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }
}

impl Sema<'_> {
    /// Type of `struct tag` without members. A declaration (`struct tag;`) hides outer types.
    pub fn record_reference(&mut self, tag: Symbol, is_union: bool, is_declaration: bool, loc: Loc) -> Ty {
        let found = if is_declaration { self.scopes.tag_here(tag) } else { self.scopes.tag(tag) };
        if let Some(entry) = found.copied() {
            if let Tag::Record(id) = entry.binding
                && self.types.records.get(id.0 as usize).is_some_and(|r| r.is_union == is_union)
            {
                return self.types.intern(TypeKind::Record(id));
            }
            self.error_wrong_tag(tag, loc, entry.loc);
            return ERROR;
        }
        let id = self.new_record(Some(tag), is_union);
        self.scopes.bind_tag(tag, Tag::Record(id), loc);
        self.types.intern(TypeKind::Record(id))
    }

    fn error_wrong_tag(&mut self, tag: Symbol, loc: Loc, before: Loc) {
        let text =
            format!("use of '{}' with tag type that does not match previous declaration", self.text(tag));
        self.error(loc, text);
        self.note(before, "previous use is here");
    }

    fn new_record(&mut self, tag: Option<Symbol>, is_union: bool) -> RecordId {
        self.types.records.push(Record { tag, is_union, ..Record::default() });
        RecordId(self.types.records.len() as u32 - 1)
    }

    /// Begins the definition of a record: one declared in this scope, or a new one.
    pub fn new_record_definition(&mut self, tag: Option<Symbol>, is_union: bool, loc: Loc) -> RecordId {
        let Some(tag) = tag else { return self.new_record(None, is_union) };
        if let Some(entry) = self.scopes.tag_here(tag).copied() {
            let known = match entry.binding {
                Tag::Record(id) => {
                    self.types.records.get(id.0 as usize).map(|r| (id, r.is_union, r.is_complete))
                }
                Tag::Enum(_) => None,
            };
            match known {
                Some((id, same, false)) if same == is_union && !self.open_records.contains(&id) => {
                    self.open_records.push(id);
                    return id;
                }
                Some((_, same, _)) if same == is_union => {
                    let text = format!("redefinition of '{}'", self.text(tag));
                    self.error(loc, text);
                    self.note(entry.loc, "previous definition is here");
                }
                _ => self.error_wrong_tag(tag, loc, entry.loc),
            }
        }
        let id = self.new_record(Some(tag), is_union);
        self.open_records.push(id);
        self.scopes.bind_tag(tag, Tag::Record(id), loc);
        id
    }

    /// Width of a bit-field.
    pub fn bit_width(&mut self, width: ExprId, loc: Loc) -> u8 {
        if self.is_error(width) {
            return 1;
        }
        match self.constant_int(width).map(|value| value.signed()) {
            None => self.error(loc, "bit-field width is not an integer constant expression"),
            Some(value) if value < 0 => self.error(loc, format!("bit-field has negative width ({value})")),
            Some(value) => return u8::try_from(value).unwrap_or(u8::MAX),
        }
        1
    }

    /// Adds a member without declarator: an anonymous record, whose members are those of the outer one.
    pub fn add_anonymous(&mut self, builder: &mut RecordBuilder, spec: FieldSpec) {
        let canonical = self.types.canonical(spec.ty);
        let anonymous = match self.types.kind(canonical.ty) {
            TypeKind::Record(id) => {
                self.types.records.get(id.0 as usize).filter(|record| record.tag.is_none())
            }
            TypeKind::Error => return,
            _ => None,
        };
        let Some(record) = anonymous else {
            self.warning("missing-declarations", spec.loc, "declaration does not declare anything");
            return;
        };
        let mut names = Vec::new();
        self.types.member_names(record, &mut names);
        for name in names {
            self.add_name(builder, name, spec.loc);
        }
        builder.members.push(spec);
    }

    fn add_name(&mut self, builder: &mut RecordBuilder, name: Symbol, loc: Loc) {
        if !builder.names.insert(name) {
            let text = format!("duplicate member '{}'", self.text(name));
            self.error(loc, text);
        }
    }

    /// Adds a member.
    pub fn add_field(&mut self, builder: &mut RecordBuilder, mut spec: FieldSpec) {
        if let Some(name) = spec.name {
            self.add_name(builder, name, spec.loc);
        }
        let canonical = self.types.canonical(spec.ty);
        if !matches!(canonical.quals.space, AddressSpace::Default | AddressSpace::Private) {
            self.error(spec.loc, "field may not be qualified with an address space");
        }
        let name = spec.name.map_or(String::new(), |name| self.text(name).to_owned());
        let is_flexible = matches!(self.types.kind(canonical.ty), TypeKind::Array(_, None));
        match self.types.kind(canonical.ty) {
            TypeKind::Function(_) => {
                self.error(spec.loc, format!("field '{name}' declared as a function"));
                spec.ty = QualTy::plain(ERROR);
            }
            TypeKind::Image(_)
            | TypeKind::Pipe(..)
            | TypeKind::Block(_)
            | TypeKind::Opaque(OpaqueType::Event | OpaqueType::Sampler) => {
                let ty = self.quoted(spec.ty);
                let text = format!("the {ty} type cannot be used to declare a structure or union field");
                self.error(spec.loc, text);
                spec.ty = QualTy::plain(ERROR);
            }
            _ if is_flexible => builder.flexible = builder.flexible.or(Some(builder.members.len())),
            _ if !self.is_complete(spec.ty.ty) => {
                let ty = self.quoted(spec.ty);
                self.error(spec.loc, format!("field has incomplete type {ty}"));
                spec.ty = QualTy::plain(ERROR);
            }
            _ => {}
        }
        if let Some(bits) = spec.bits {
            spec.bits = self.checked_width(bits, &spec, &name);
        }
        builder.members.push(spec);
    }

    /// The width of a bit-field, if its type can have it.
    fn checked_width(&mut self, bits: u8, spec: &FieldSpec, name: &str) -> Option<u8> {
        let arith = match self.types.resolved(spec.ty.ty) {
            TypeKind::Arith(arith) if arith.is_int() => *arith,
            TypeKind::Enum(id) => self.types.enums.get(id.0 as usize).map_or(Arith::Int, |e| e.underlying),
            TypeKind::Error => return None,
            _ => {
                let ty = self.quoted(spec.ty);
                self.error(spec.loc, format!("bit-field '{name}' has non-integral type {ty}"));
                return None;
            }
        };
        let max = if arith == Arith::Bool { 1 } else { arith.bytes() * 8 };
        if u32::from(bits) > max {
            let text = format!(
                "width of bit-field '{name}' ({bits} bits) exceeds the width of its type ({max} bits)"
            );
            self.error(spec.loc, text);
            return None;
        }
        if bits == 0 && spec.name.is_some() {
            self.error(spec.loc, format!("named bit-field '{name}' has zero width"));
            return None;
        }
        Some(bits)
    }

    /// Reports an array without a length that other members follow.
    fn check_flexible(&mut self, builder: &RecordBuilder) {
        let Some(index) = builder.flexible.filter(|index| index + 1 < builder.members.len()) else { return };
        let Some(spec) = builder.members.get(index) else { return };
        let (ty, loc) = (self.quoted(spec.ty), spec.loc);
        let name = spec.name.map_or("", |name| self.text(name));
        let text = format!("flexible array member '{name}' with type {ty} is not at the end of struct");
        self.error(loc, text);
    }

    /// Completes a record: lays its members out.
    pub fn finish_record(&mut self, builder: RecordBuilder, is_packed: bool, align: Option<u32>) {
        self.open_records.retain(|id| *id != builder.id);
        self.check_flexible(&builder);
        let is_union = self.types.records.get(builder.id.0 as usize).is_some_and(|record| record.is_union);
        let mut packer = Packer { is_union, bits: 0, size: 0, align: 1 };
        let fields = builder.members.iter().map(|spec| packer.place(self.types, spec, is_packed)).collect();
        let end = packer.size.max(packer.bits.div_ceil(8));
        let align = packer.align.max(align.unwrap_or(1));
        let size = end.checked_next_multiple_of(u64::from(align)).unwrap_or(end);
        let tag = self.types.records.get(builder.id.0 as usize).and_then(|record| record.tag);
        let mut record =
            Record { tag, is_union, is_complete: true, fields, size, align, ..Record::default() };
        for spec in &builder.members {
            self.note_member(&mut record, spec.ty);
        }
        record.depth += 1;
        if record.depth > super::derive::MAX_TYPE_DEPTH || size > 1 << 40 {
            let loc = builder.members.first().map_or(Loc::default(), |spec| spec.loc);
            self.error(loc, if size > 1 << 40 { "structure is too large" } else { "nesting too deep" });
            record = Record { tag, is_union, is_complete: true, align: 1, ..Record::default() };
        }
        if let Some(slot) = self.types.records.get_mut(builder.id.0 as usize) {
            *slot = record;
        }
    }

    /// Type of `enum tag` without constants.
    pub fn enum_reference(&mut self, tag: Symbol, loc: Loc) -> Ty {
        match self.scopes.tag(tag).copied() {
            Some(entry) => match entry.binding {
                Tag::Enum(id) => self.types.intern(TypeKind::Enum(id)),
                Tag::Record(_) => {
                    self.error_wrong_tag(tag, loc, entry.loc);
                    ERROR
                }
            },
            None => {
                let id = self.new_enum(Some(tag));
                self.scopes.bind_tag(tag, Tag::Enum(id), loc);
                self.types.intern(TypeKind::Enum(id))
            }
        }
    }

    fn new_enum(&mut self, tag: Option<Symbol>) -> EnumId {
        self.types.enums.push(EnumData { tag, is_complete: false, underlying: Arith::UInt });
        EnumId(self.types.enums.len() as u32 - 1)
    }

    /// Begins the definition of an enumeration.
    pub fn new_enum_definition(&mut self, tag: Option<Symbol>, loc: Loc) -> EnumId {
        let Some(tag) = tag else { return self.new_enum(None) };
        if let Some(entry) = self.scopes.tag_here(tag).copied() {
            match entry.binding {
                Tag::Enum(id) if self.types.enums.get(id.0 as usize).is_some_and(|e| !e.is_complete) => {
                    return id;
                }
                Tag::Enum(_) => {
                    let text = format!("redefinition of '{}'", self.text(tag));
                    self.error(loc, text);
                    self.note(entry.loc, "previous definition is here");
                }
                Tag::Record(_) => self.error_wrong_tag(tag, loc, entry.loc),
            }
        }
        let id = self.new_enum(Some(tag));
        self.scopes.bind_tag(tag, Tag::Enum(id), loc);
        id
    }

    /// Adds a constant with the value given, or the one after the last.
    pub fn add_enumerator(
        &mut self,
        builder: &mut EnumBuilder,
        name: Symbol,
        value: Option<Constant>,
        loc: Loc,
    ) {
        let value = value.map_or(builder.next, Constant::signed);
        builder.is_empty = false;
        builder.next = value + 1;
        builder.low = builder.low.min(value);
        builder.high = builder.high.max(value);
        let ty = if i32::try_from(value).is_ok() {
            INT
        } else if u32::try_from(value).is_ok() {
            UINT
        } else if i64::try_from(value).is_ok() {
            LONG
        } else {
            ULONG
        };
        if let Some(entry) = self.scopes.entry_here(name).copied() {
            let text = match entry.binding {
                Binding::Constant { .. } => format!("redefinition of enumerator '{}'", self.text(name)),
                _ => format!("redefinition of '{}' as different kind of symbol", self.text(name)),
            };
            self.error(loc, text);
            self.note(entry.loc, "previous definition is here");
        }
        self.scopes.bind(name, Binding::Constant { value: value as u64, ty }, loc);
    }

    /// Completes an enumeration: its type is the first of `uint`, `int`, `ulong`, `long` that has all values.
    pub fn finish_enum(&mut self, builder: EnumBuilder) {
        let is_signed = builder.low < 0;
        let fits = if is_signed {
            i32::try_from(builder.low).is_ok() && i32::try_from(builder.high).is_ok()
        } else {
            u32::try_from(builder.high).is_ok()
        };
        let underlying = match (is_signed, fits) {
            (false, true) => Arith::UInt,
            (true, true) => Arith::Int,
            (false, false) => Arith::ULong,
            (true, false) => Arith::Long,
        };
        if let Some(data) = self.types.enums.get_mut(builder.id.0 as usize) {
            data.is_complete = true;
            data.underlying = underlying;
        }
    }
}

impl Types {
    /// Names of the members of a record, those of anonymous records included.
    fn member_names(&self, record: &Record, names: &mut Vec<Symbol>) {
        for field in &record.fields {
            match (field.name, self.resolved(field.ty.ty)) {
                (Some(name), _) => names.push(name),
                (None, TypeKind::Record(id)) => {
                    if let Some(inner) = self.records.get(id.0 as usize) {
                        self.member_names(inner, names);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Placement of members in a record.
struct Packer {
    is_union: bool,
    /// Bits used so far.
    bits: u64,
    /// Bytes used so far.
    size: u64,
    align: u32,
}

impl Packer {
    /// Places a member.
    fn place(&mut self, types: &Types, spec: &FieldSpec, is_packed: bool) -> Field {
        let layout = layout(types, spec.ty.ty);
        let natural = if is_packed || spec.is_packed { 1 } else { layout.align };
        let align = natural.max(spec.align.unwrap_or(1));
        if self.is_union {
            self.bits = 0;
        }
        let (offset, bits) = match spec.bits {
            Some(width) => self.place_bits(width, layout.size, layout.align, align, spec),
            None => {
                let at = self.bits.div_ceil(8).checked_next_multiple_of(u64::from(align)).unwrap_or(0);
                self.align = self.align.max(align);
                self.bits = at.saturating_add(layout.size).saturating_mul(8);
                (at, None)
            }
        };
        self.size = self.size.max(self.bits.div_ceil(8));
        Field { name: spec.name, ty: spec.ty, offset, bits }
    }

    /// Places a bit-field: it does not cross a boundary of its type, unless it is packed.
    fn place_bits(
        &mut self,
        width: u8,
        unit: u64,
        unit_align: u32,
        align: u32,
        spec: &FieldSpec,
    ) -> (u64, Option<(u8, u8)>) {
        let unit_bits = unit.max(1) * 8;
        let boundary = u64::from(align.max(1)) * 8;
        if width == 0 {
            let boundary = u64::from(unit_align) * 8;
            self.bits = self.bits.checked_next_multiple_of(boundary).unwrap_or(self.bits);
            return (self.bits / 8, Some((0, 0)));
        }
        let crosses = align == unit_align && self.bits % unit_bits + u64::from(width) > unit_bits;
        if spec.align.is_some() || crosses {
            self.bits = self.bits.checked_next_multiple_of(boundary).unwrap_or(self.bits);
        }
        if spec.name.is_some() {
            self.align = self.align.max(align);
        }
        // The unit is the aligned one that has the whole field, else one that begins at the field's byte.
        let aligned = self.bits / unit_bits * unit_bits;
        let start =
            if self.bits - aligned + u64::from(width) <= unit_bits { aligned } else { self.bits / 8 * 8 };
        let first = self.bits - start;
        self.bits += u64::from(width);
        (start / 8, Some((first as u8, width)))
    }
}
