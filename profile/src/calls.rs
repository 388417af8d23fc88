//! Calls as text, like those of strace: arguments with their values, enumerators by name, memory behind
//! pointers as far as it was captured.

use crate::autogen_calls::{ENUMERATIONS, Enumeration, FUNCTIONS};
use crate::format::values::Value;
use std::fmt::Write as _;

/// A call with its arguments.
pub fn call(name: &str, arguments: &[Value], results: &[Value]) -> String {
    let found = FUNCTIONS.binary_search_by_key(&name, |(name, _)| name);
    let params = found.map_or(&[] as &[_], |at| FUNCTIONS[at].1);
    let mut list = Vec::new();
    for (i, value) in arguments.iter().enumerate() {
        let (ty, name) = params.get(i).copied().unwrap_or(("", ""));
        let result = results.iter().find(|r| usize::from(r.index) == i);
        let property = arguments.iter().zip(params).find(|(_, (_, name))| *name == "param_name");
        let text = match result {
            Some(result) => argument(ty, result, property.map(|(value, (ty, _))| (*ty, value.word))),
            None => argument(ty, value, None),
        };
        list.push(if name.is_empty() { text } else { format!("{name}={text}") });
    }
    format!("{name}({})", list.join(", "))
}

/// The result of a call.
pub fn result(name: &str, error: i32, word: u64, error_name: impl Fn(i32) -> Option<&'static str>) -> String {
    let code = || error_name(error).map_or_else(|| error.to_string(), str::to_owned);
    match (error, word) {
        (0, 0) if returns_code(name) => "CL_SUCCESS".into(),
        (0, 0) => "NULL".into(),
        (0, word) => format!("{word:#x}"),
        _ => code(),
    }
}

/// Whether the function returns an error code, rather than a handle or a pointer.
fn returns_code(name: &str) -> bool {
    let creates = name.starts_with("clCreate") && !name.starts_with("clCreateKernelsInProgram");
    let found = FUNCTIONS.binary_search_by_key(&name, |(name, _)| name);
    let params = found.map_or(&[] as &[_], |at| FUNCTIONS[at].1);
    let finds = name.contains("FunctionAddress");
    !creates && !finds && !params.iter().any(|(_, name)| *name == "errcode_ret") && name != "clSVMAlloc"
}

/// The base type of a parameter, and its levels of pointers.
fn base(ty: &str) -> (&str, usize) {
    let stars = ty.matches('*').count();
    let word = ty.trim_end_matches('*').trim();
    (word.strip_prefix("const ").unwrap_or(word).trim(), stars)
}

fn enumeration(ty: &str) -> Option<&'static Enumeration> {
    ENUMERATIONS.binary_search_by_key(&ty, |(name, ..)| name).ok().map(|at| &ENUMERATIONS[at])
}

/// Handles are 64-bit values of these types.
fn is_handle(ty: &str) -> bool {
    const HANDLES: &[&str] = &[
        "cl_command_queue",
        "cl_context",
        "cl_device_id",
        "cl_event",
        "cl_kernel",
        "cl_mem",
        "cl_platform_id",
        "cl_program",
        "cl_sampler",
        "cl_semaphore_khr",
        "cl_command_buffer_khr",
        "cl_mutable_command_khr",
    ];
    HANDLES.contains(&ty)
}

fn argument(ty: &str, value: &Value, query: Option<(&str, u64)>) -> String {
    let (base, stars) = base(ty);
    match (stars, value.memory) {
        (0, _) if ty == "callback" => if value.word == 0 { "NULL" } else { "callback" }.into(),
        (0, _) => scalar(base, value.word),
        _ if value.word == 0 => "NULL".into(),
        (1, Some(text)) if base == "char" => quoted(text, value.cut),
        (1, Some(memory)) if base == "void" => bytes(memory, value.cut, query),
        (1, Some(memory)) if base.contains("properties") && !base.contains("command_queue_properties") => {
            properties(base, memory)
        }
        (_, Some(memory)) => list(if stars == 1 { base } else { "pointer" }, memory, value.cut),
        (_, None) => format!("{:#x}", value.word),
    }
}

/// A number of a type.
fn scalar(ty: &str, word: u64) -> String {
    if ty == "cl_bool" {
        return if word == 0 { "CL_FALSE" } else { "CL_TRUE" }.into();
    }
    if let Some((_, is_mask, list)) = enumeration(ty) {
        // Types of 32 bits may be signed.
        let name = |value: u64| list.iter().find(|(_, v)| *v == value || *v as u32 as u64 == value);
        match name(word) {
            Some((name, _)) if !is_mask || word != 0 => return (*name).into(),
            _ if *is_mask => return mask(list, word),
            _ => return format!("{word:#x}"),
        }
    }
    match ty {
        _ if is_handle(ty) && word == 0 => "NULL".into(),
        "cl_int" => (word as i32).to_string(),
        "size_t" | "cl_uint" | "cl_ulong" | "cl_mem_device_address_ext" => word.to_string(),
        _ if ty.ends_with("flags") || ty.ends_with("bitfield") => mask(&[], word),
        _ => format!("{word:#x}"),
    }
}

/// A set of bits.
fn mask(list: &[(&str, u64)], word: u64) -> String {
    let mut rest = word;
    let mut names: Vec<String> = Vec::new();
    for (name, bit) in list.iter().filter(|(_, bit)| bit.is_power_of_two() && word & bit != 0) {
        names.push((*name).into());
        rest &= !bit;
    }
    if rest != 0 || names.is_empty() {
        names.push(if rest == 0 { "0".into() } else { format!("{rest:#x}") });
    }
    names.join("|")
}

/// Size of an element in memory.
fn size_of(ty: &str) -> usize {
    match ty {
        "cl_int" | "cl_uint" | "cl_bool" | "float" => 4,
        "cl_uchar" | "unsigned char" => 1,
        "cl_image_format" => 4,
        _ => match enumeration(ty) {
            // Info types, object types and the like are cl_uint, bit fields cl_ulong.
            Some((_, is_mask, _)) if !is_mask => 4,
            _ => 8,
        },
    }
}

/// Elements of an array.
fn list(ty: &str, memory: &[u8], cut: bool) -> String {
    let size = size_of(ty);
    let mut elements: Vec<String> =
        memory.chunks_exact(size).map(|element| scalar(ty, number(element))).collect();
    if cut {
        elements.push("...".into());
    }
    format!("[{}]", elements.join(", "))
}

/// Pairs of properties.
fn properties(ty: &str, memory: &[u8]) -> String {
    let pairs = memory.chunks_exact(16).map(|pair| {
        let (key, value) = (number(&pair[..8]), number(&pair[8..]));
        let key = match scalar(ty, key) {
            // Queues name their properties like their information.
            text if text.starts_with("0x") && ty == "cl_queue_properties" => {
                scalar("cl_command_queue_info", key)
            }
            text => text,
        };
        let value = match key.as_str() {
            "CL_QUEUE_PROPERTIES" => scalar("cl_command_queue_properties", value),
            _ => format!("{value:#x}"),
        };
        format!("{key}={value}")
    });
    format!("[{}]", pairs.collect::<Vec<_>>().join(", "))
}

fn number(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    u64::from_le_bytes(word)
}

/// Text in quotes.
fn quoted(text: &[u8], cut: bool) -> String {
    let mut out = String::from("\"");
    for c in String::from_utf8_lossy(text).chars() {
        let _ = match c {
            '"' | '\\' => write!(out, "\\{c}"),
            '\n' => write!(out, "\\n"),
            '\t' => write!(out, "\\t"),
            c if c.is_control() => write!(out, "\\x{:02x}", c as u32),
            c => write!(out, "{c}"),
        };
    }
    out + if cut { "\"..." } else { "\"" }
}

/// Memory of unknown type: the answer of a query, text, a number, or bytes.
fn bytes(memory: &[u8], cut: bool, query: Option<(&str, u64)>) -> String {
    let text = memory.split(|b| *b == 0).next().unwrap_or_default();
    let is_text = text.len() > 2 && text.iter().all(|b| b.is_ascii_graphic() || matches!(b, b' ' | b'\n'));
    let is_long = query.is_some() && cut;
    match memory.len() {
        _ if is_text && (text.len() + 1 == memory.len() || query.is_some()) => quoted(text, is_long),
        1 | 2 | 4 | 8 if !cut => match number(memory) {
            small if small < 1 << 20 => format!("[{small}]"),
            word => format!("[{word:#x}]"),
        },
        _ => {
            let list: Vec<String> = memory.iter().map(|b| format!("{b:02x}")).collect();
            format!("[{}{}]", list.join(" "), if cut { " ..." } else { "" })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(index: u8, word: u64, memory: Option<&[u8]>) -> Value<'_> {
        Value { index, word, memory, cut: false }
    }

    fn words(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    #[test]
    fn arguments_have_names() {
        let arguments = [
            value(0, 0x1000, None),
            value(1, 0x21, None),
            value(2, 64, None),
            value(3, 0, None),
            value(4, 0, None),
        ];
        assert_eq!(
            call("clCreateBuffer", &arguments, &[]),
            "clCreateBuffer(context=0x1000, flags=CL_MEM_READ_WRITE|CL_MEM_COPY_HOST_PTR, size=64, host_ptr=NULL, \
             errcode_ret=NULL)"
        );
        let (global, local, event) = (words(&[64, 2]), words(&[8, 1]), words(&[0x40]));
        let arguments = [
            value(0, 0x40, None),
            value(1, 0x80, None),
            value(2, 2, None),
            value(3, 0, None),
            value(4, 0x100, Some(&global)),
            value(5, 0x200, Some(&local)),
            value(6, 0, None),
            value(7, 0, None),
            value(8, 0x300, None),
        ];
        assert_eq!(
            call("clEnqueueNDRangeKernel", &arguments, &[value(8, 0x300, Some(&event))]),
            "clEnqueueNDRangeKernel(command_queue=0x40, kernel=0x80, work_dim=2, global_work_offset=NULL, \
             global_work_size=[64, 2], local_work_size=[8, 1], num_events_in_wait_list=0, event_wait_list=NULL, \
             event=[0x40])"
        );
    }

    #[test]
    fn properties_and_texts() {
        let list = words(&[0x1093, 3]);
        assert_eq!(
            argument("const cl_queue_properties*", &value(0, 8, Some(&list)), None),
            "[CL_QUEUE_PROPERTIES=CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE|CL_QUEUE_PROFILING_ENABLE]"
        );
        assert_eq!(argument("const char*", &value(0, 8, Some(b"a\"b\n")), None), "\"a\\\"b\\n\"");
        assert_eq!(argument("cl_device_info", &value(0, 0x102B, None), None), "CL_DEVICE_NAME");
        assert_eq!(argument("const void*", &value(0, 8, Some(&[5, 0, 0, 0])), None), "[5]");
        assert_eq!(
            result("clFinish", -36, 0, |_| Some("CL_INVALID_COMMAND_QUEUE")),
            "CL_INVALID_COMMAND_QUEUE"
        );
        assert_eq!(result("clFinish", 0, 0, |_| None), "CL_SUCCESS");
        assert_eq!(result("clCreateBuffer", 0, 0x80, |_| None), "0x80");
    }
}
