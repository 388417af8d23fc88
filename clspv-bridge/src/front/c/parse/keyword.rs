//! Keywords: which identifiers are keywords, by their symbols.

use crate::front::c::language::Language;
use crate::front::c::symbol::{Symbol, Symbols};
use crate::front::c::types::{AccessMode, ImageType};
use crate::ir::ImageDim;

/// Meaning of a keyword.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keyword {
    // Statements.
    Break,
    Case,
    Continue,
    Default,
    Do,
    Else,
    For,
    Goto,
    If,
    Return,
    Switch,
    While,
    // Storage classes and function specifiers.
    Auto,
    Extern,
    Inline,
    Register,
    Static,
    Typedef,
    Kernel,
    Noreturn,
    // Qualifiers.
    Const,
    Restrict,
    Volatile,
    AtomicType,
    Global,
    Local,
    Constant,
    Private,
    Generic,
    ReadOnly,
    WriteOnly,
    ReadWrite,
    // Type specifiers.
    Void,
    Bool,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Half,
    Signed,
    Unsigned,
    Struct,
    Union,
    Enum,
    Pipe,
    Complex,
    Typeof,
    AutoType,
    Image(ImageType),
    // Operators and the like.
    Sizeof,
    Alignof,
    VecStep,
    Offsetof,
    Attribute,
    Alignas,
    Extension,
    Asm,
    StaticAssert,
    Generic11,
    Func,
    True,
    False,
}

use Keyword as K;

/// Keywords of every version, in all spellings.
const KEYWORDS: &[(&str, Keyword)] = &[
    ("break", K::Break),
    ("case", K::Case),
    ("continue", K::Continue),
    ("default", K::Default),
    ("do", K::Do),
    ("else", K::Else),
    ("for", K::For),
    ("goto", K::Goto),
    ("if", K::If),
    ("return", K::Return),
    ("switch", K::Switch),
    ("while", K::While),
    ("auto", K::Auto),
    ("extern", K::Extern),
    ("inline", K::Inline),
    ("__inline", K::Inline),
    ("__inline__", K::Inline),
    ("register", K::Register),
    ("static", K::Static),
    ("typedef", K::Typedef),
    ("kernel", K::Kernel),
    ("__kernel", K::Kernel),
    ("_Noreturn", K::Noreturn),
    ("const", K::Const),
    ("__const", K::Const),
    ("__const__", K::Const),
    ("restrict", K::Restrict),
    ("__restrict", K::Restrict),
    ("__restrict__", K::Restrict),
    ("volatile", K::Volatile),
    ("__volatile", K::Volatile),
    ("__volatile__", K::Volatile),
    ("_Atomic", K::AtomicType),
    ("global", K::Global),
    ("__global", K::Global),
    ("local", K::Local),
    ("__local", K::Local),
    ("constant", K::Constant),
    ("__constant", K::Constant),
    ("private", K::Private),
    ("__private", K::Private),
    ("__generic", K::Generic),
    ("generic", K::Generic),
    ("read_only", K::ReadOnly),
    ("__read_only", K::ReadOnly),
    ("write_only", K::WriteOnly),
    ("__write_only", K::WriteOnly),
    ("read_write", K::ReadWrite),
    ("__read_write", K::ReadWrite),
    ("void", K::Void),
    ("bool", K::Bool),
    ("_Bool", K::Bool),
    ("char", K::Char),
    ("short", K::Short),
    ("int", K::Int),
    ("long", K::Long),
    ("float", K::Float),
    ("double", K::Double),
    ("half", K::Half),
    ("signed", K::Signed),
    ("__signed", K::Signed),
    ("__signed__", K::Signed),
    ("unsigned", K::Unsigned),
    ("struct", K::Struct),
    ("union", K::Union),
    ("enum", K::Enum),
    ("_Complex", K::Complex),
    ("typeof", K::Typeof),
    ("__typeof", K::Typeof),
    ("__typeof__", K::Typeof),
    ("__auto_type", K::AutoType),
    ("sizeof", K::Sizeof),
    ("_Alignof", K::Alignof),
    ("__alignof", K::Alignof),
    ("__alignof__", K::Alignof),
    ("vec_step", K::VecStep),
    ("__builtin_offsetof", K::Offsetof),
    ("__attribute", K::Attribute),
    ("__attribute__", K::Attribute),
    ("_Alignas", K::Alignas),
    ("__extension__", K::Extension),
    ("__asm", K::Asm),
    ("__asm__", K::Asm),
    ("_Static_assert", K::StaticAssert),
    ("_Generic", K::Generic11),
    ("__func__", K::Func),
    ("__FUNCTION__", K::Func),
    ("__PRETTY_FUNCTION__", K::Func),
    ("true", K::True),
    ("false", K::False),
];

/// Image types: name, dimension, depth, multisampling.
const IMAGES: &[(&str, ImageDim, bool, bool)] = &[
    ("image1d_t", ImageDim::D1, false, false),
    ("image1d_array_t", ImageDim::D1Array, false, false),
    ("image1d_buffer_t", ImageDim::Buffer, false, false),
    ("image2d_t", ImageDim::D2, false, false),
    ("image2d_array_t", ImageDim::D2Array, false, false),
    ("image2d_depth_t", ImageDim::D2, true, false),
    ("image2d_array_depth_t", ImageDim::D2Array, true, false),
    ("image2d_msaa_t", ImageDim::D2, false, true),
    ("image2d_array_msaa_t", ImageDim::D2Array, false, true),
    ("image2d_msaa_depth_t", ImageDim::D2, true, true),
    ("image2d_array_msaa_depth_t", ImageDim::D2Array, true, true),
    ("image3d_t", ImageDim::D3, false, false),
];

/// Keywords by symbol.
#[derive(Debug)]
pub struct Keywords {
    /// Indexed by symbol; identifiers that came later are none.
    table: Vec<Option<Keyword>>,
}

impl Keywords {
    /// The keywords of a language.
    pub fn new(symbols: &mut Symbols, language: &Language) -> Keywords {
        let mut keywords = Keywords { table: Vec::new() };
        let mut add = |name: &str, keyword| keywords.add(symbols.intern(name), keyword);
        for (name, keyword) in KEYWORDS {
            match keyword {
                // The plain spelling is a word of OpenCL C 2.0.
                K::Generic if *name == "generic" && !language.has_generic_space() => {}
                _ => add(name, *keyword),
            }
        }
        if language.has_pipes() {
            add("pipe", K::Pipe);
        }
        let has_msaa = language.has_multi_sampled_images();
        for (name, dim, is_depth, is_msaa) in IMAGES.iter().filter(|(.., is_msaa)| has_msaa || !is_msaa) {
            let image =
                ImageType { dim: *dim, is_depth: *is_depth, is_msaa: *is_msaa, access: AccessMode::ReadOnly };
            add(name, K::Image(image));
        }
        keywords
    }

    fn add(&mut self, symbol: Symbol, keyword: Keyword) {
        let index = symbol.0 as usize;
        if self.table.len() <= index {
            self.table.resize(index + 1, None);
        }
        if let Some(entry) = self.table.get_mut(index) {
            *entry = Some(keyword);
        }
    }

    /// The keyword that an identifier is.
    pub fn get(&self, symbol: Symbol) -> Option<Keyword> {
        self.table.get(symbol.0 as usize).copied().flatten()
    }
}
