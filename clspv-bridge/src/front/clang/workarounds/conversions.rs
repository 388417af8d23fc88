//! Conversions between integers: the back end loses the signedness of the operand, which only the mangled
//! name has, and so extends or saturates wrongly. `_Z16convert_char_sati` becomes `pc_convert_char_sat.i`.

use crate::front::clang::symbols::replace_mangled;
use crate::front::markers::CONVERT;

/// Whether the code may have explicit conversions to integers, also if macros concatenate such names.
pub fn may_convert(code: &str) -> bool {
    let mut uses = code.match_indices("convert").map(|(at, word)| &code[at + word.len()..]);
    code.contains("sat")
        || uses.any(|rest| !["_float", "_double", "_half"].iter().any(|t| rest.starts_with(t)))
}

/// Renames the conversions; `None` if there are none.
pub fn rename(ir: &str) -> Option<String> {
    replace_mangled(ir, |name, params| {
        let kind = name.strip_prefix("convert_")?;
        let to = kind.trim_start_matches("convert_");
        let to = to.strip_prefix('u').unwrap_or(to);
        let is_integer = ["char", "short", "int", "long"].iter().any(|t| to.starts_with(t))
            && params.ends_with(['a', 'c', 'h', 's', 't', 'i', 'j', 'l', 'm'])
            && !params.ends_with("Dh");
        is_integer.then(|| format!("{CONVERT}{kind}.{}", &params[params.len() - 1..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_renamed() {
        let line = "%1 = call spir_func signext i8 @_Z16convert_char_sati(i32 %0), @_Z17convert_char4_satDv4_j(, @_Z3fooi";
        let want = "%1 = call spir_func signext i8 @pc_convert_char_sat.i(i32 %0), @pc_convert_char4_sat.j(, @_Z3fooi";
        assert_eq!(rename(line).unwrap(), want);
        assert_eq!(rename("@_Z16convert_char_satf(@_Z99x(@_Z"), None);
        assert_eq!(
            rename("@_Z11convert_intDv2_c(@_Z16convert_char_satDh(").unwrap(),
            "@pc_convert_int.c(@_Z16convert_char_satDh("
        );
    }

    #[test]
    fn conversions_to_integers_are_found() {
        assert!(may_convert("x = convert_int4(v);") && may_convert("convert_##T") && may_convert("T##_sat"));
        assert!(!may_convert("convert_float4(v) + convert_half(x)"));
    }
}
