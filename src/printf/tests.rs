//! The formatter against C's snprintf on random formats and values, the forms that C does not have, and
//! malformed input.

use super::*;
use std::ffi::CString;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 20) as usize % n
    }
    fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

fn text(format: &str, args: Vec<PrintfArg>, words: &[u32]) -> String {
    let call = PrintfCall { format: Some(format.as_bytes().to_vec()), args };
    let mut out = Vec::new();
    Printer::new(&call).record(words, &|_| None, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn words(values: &[u64]) -> Vec<u32> {
    values.iter().flat_map(|v| [*v as u32, (*v >> 32) as u32]).collect()
}

/// Flags, width and precision.
fn layout(random: &mut Random, flags: &[&str]) -> String {
    let mut s = String::from("%");
    for flag in flags {
        if random.below(4) == 0 {
            s.push_str(flag);
        }
    }
    if random.below(2) == 0 {
        s.push_str(&(1 + random.below(40)).to_string());
    }
    match random.below(4) {
        0 => s.push('.'),
        1 | 2 => {
            let most = if random.below(10) == 0 { 400 } else { 30 };
            s.push_str(&format!(".{}", random.below(most)));
        }
        _ => {}
    }
    s
}

macro_rules! c_text {
    ($format:expr, $value:expr) => {{
        let format = CString::new($format).unwrap();
        let mut buffer = vec![0u8; 4096];
        // SAFETY: the buffer has that size; the operand is of the format's type.
        let n = unsafe { libc::snprintf(buffer.as_mut_ptr().cast(), buffer.len(), format.as_ptr(), $value) };
        String::from_utf8_lossy(&buffer[..n as usize]).into_owned()
    }};
}

fn interesting(random: &mut Random) -> f64 {
    let near = |x: f64, by: i64| f64::from_bits((x.to_bits() as i64).wrapping_add(by) as u64);
    match random.below(10) {
        0 => f64::from_bits(random.next()),
        1 => f64::from(f32::from_bits(random.next() as u32)),
        2 => random.below(1000) as f64 / 8.0,
        // Ties in decimal and hexadecimal.
        3 => (random.below(100_000) as f64 + 0.5) / 2f64.powi(random.below(20) as i32),
        4 => near(10f64.powi(random.below(40) as i32 - 20), random.below(5) as i64 - 2),
        5 => [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN][random.below(6)],
        6 => f64::from_bits(random.next() >> (12 + random.below(52))),
        7 => random.below(1 << 30) as f64,
        8 => -(random.below(1 << 30) as f64) / 1000.0,
        _ => near(1.0, random.below(1000) as i64 - 500),
    }
}

#[test]
fn numbers_are_as_in_c() {
    let mut random = Random(7);
    let mut compared = 0;
    // Some C libraries drop a zero of the alternative form when all nines round up.
    let lost_zero = |format: &str, own: &str| {
        let digits =
            own.trim_matches(|c: char| !c.is_ascii_digit()).split(['e', 'E']).next().unwrap_or_default();
        let digits = digits.trim_start_matches(['0', '.']).trim_end_matches(['0', '.']);
        format.contains('#') && format.ends_with(['g', 'G']) && digits == "1"
    };
    for _ in 0..60_000 {
        let x = interesting(&mut random);
        let format = layout(&mut random, &["-", "+", " ", "#", "0"])
            + random.one(&["f", "F", "e", "E", "g", "G", "a", "A"]);
        let own = text(&format, vec![PrintfArg::Float { bits: 64, lanes: 1 }], &words(&[x.to_bits()]));
        if !lost_zero(&format, &own) {
            assert_eq!(own, c_text!(format.clone(), x), "{format} of {x:e} ({:#x})", x.to_bits());
            compared += 1;
        }
        // A float prints like the double of the same value.
        let single = x as f32;
        let own = text(&format, vec![PrintfArg::Float { bits: 32, lanes: 1 }], &[single.to_bits()]);
        if !lost_zero(&format, &own) {
            assert_eq!(own, c_text!(format.clone(), f64::from(single)), "{format} of {single:e}");
            compared += 1;
        }
    }
    assert!(compared > 115_000, "{compared}");
    assert_eq!(
        text("%#.2g", vec![PrintfArg::Float { bits: 64, lanes: 1 }], &words(&[99.99f64.to_bits()])),
        "1.0e+02"
    );
}

#[test]
fn integers_are_as_in_c() {
    let mut random = Random(11);
    for _ in 0..60_000 {
        let x = random.next() >> random.below(64);
        let x = if random.below(2) == 0 { x } else { x.wrapping_neg() };
        let kind = random.one(&["d", "i", "u", "o", "x", "X"]);
        let flags: &[&str] = if matches!(kind, "d" | "i") { &["-", "+", " ", "0"] } else { &["-", "#", "0"] };
        let flags = if kind == "u" { &flags[..1] } else { flags };
        let front = layout(&mut random, flags);
        for length in ["", "h", "hh"] {
            let format = format!("{front}{length}{kind}");
            let own = text(&format, vec![PrintfArg::Int { bits: 32, lanes: 1 }], &[x as u32]);
            assert_eq!(own, c_text!(format.clone(), x as i32), "{format} of {x:#x}");
        }
        for length in ["l", "z", "t", "ll", "j"] {
            let format = format!("{front}{length}{kind}");
            let own = text(&format, vec![PrintfArg::Int { bits: 64, lanes: 1 }], &words(&[x]));
            assert_eq!(own, c_text!(format.clone(), x as i64), "{format} of {x:#x}");
        }
    }
}

#[test]
fn characters_and_strings_are_as_in_c() {
    let mut random = Random(13);
    for _ in 0..2000 {
        let string: String = (0..random.below(12)).map(|_| (b'a' + random.below(26) as u8) as char).collect();
        let format = layout(&mut random, &["-"]) + "s";
        let own = text(&format, vec![PrintfArg::Text(string.clone().into_bytes())], &[]);
        let c = CString::new(string.clone()).unwrap();
        assert_eq!(own, c_text!(format.clone(), c.as_ptr()), "{format} of {string}");
        let format = format!("%{}{}c", random.one(&["", "-"]), random.one(&["", "4", "7"]));
        let x = 32 + random.below(90) as i32 + 256 * random.below(3) as i32;
        let own = text(&format, vec![PrintfArg::Int { bits: 32, lanes: 1 }], &[x as u32]);
        assert_eq!(own, c_text!(format.clone(), x));
        let p = random.next() >> random.below(70).min(63);
        let format = format!("%{}{}p", random.one(&["", "-"]), random.one(&["", "30"]));
        let own = text(&format, vec![PrintfArg::Pointer], &words(&[p]));
        assert_eq!(own, c_text!(format.clone(), p as *const u8));
    }
}

#[test]
fn half_precision_numbers_are_exact() {
    for bits in 0..=u16::MAX {
        let own = text("%.30e|%a", vec![PrintfArg::Float { bits: 16, lanes: 1 }; 2], &[u32::from(bits); 2]);
        let x = half::f16::from_bits(bits).to_f64();
        let own: Vec<&str> = own.split('|').collect();
        assert_eq!(own[0], c_text!("%.30e", x));
        assert_eq!(own[1], c_text!("%a", x));
    }
}

#[test]
fn vectors_have_commas() {
    let floats = [1.0f32, 2.0, -3.5, 4.0].map(f32::to_bits);
    let float4 = PrintfArg::Float { bits: 32, lanes: 4 };
    assert_eq!(text("f4 = %2.2v4hlf\n", vec![float4.clone()], &floats), "f4 = 1.00,2.00,-3.50,4.00\n");
    assert_eq!(text("[%5v4hlg]", vec![float4], &floats), "[    1,    2, -3.5,    4]");
    let bytes = PrintfArg::Int { bits: 8, lanes: 4 };
    assert_eq!(
        text("uc = %#v4hhx\n", vec![bytes.clone()], &[0xfa, 0xfb, 0xfc, 0xfd]),
        "uc = 0xfa,0xfb,0xfc,0xfd\n"
    );
    assert_eq!(text("%v4hhd", vec![bytes], &[0xfa, 1, 0x7f, 0x80]), "-6,1,127,-128");
    assert_eq!(
        text("%v2hd %v2hu", vec![PrintfArg::Int { bits: 16, lanes: 2 }; 2], &[65535, 1, 65535, 1]),
        "-1,1 65535,1"
    );
    let longs = words(&[1 << 40, u64::MAX]);
    assert_eq!(text("%v2ld", vec![PrintfArg::Int { bits: 64, lanes: 2 }], &longs), "1099511627776,-1");
    let halves = [0x3c00, 0xbe00];
    assert_eq!(text("%v2hf", vec![PrintfArg::Float { bits: 16, lanes: 2 }], &halves), "1.000000,-1.500000");
    let doubles = words(&[0.5f64.to_bits(), (-0.0f64).to_bits(), f64::INFINITY.to_bits()]);
    assert_eq!(
        text("%05.1v3lf", vec![PrintfArg::Float { bits: 64, lanes: 3 }], &doubles),
        "000.5,-00.0,  inf"
    );
    assert_eq!(text("%v16hld", vec![PrintfArg::Int { bits: 32, lanes: 16 }], &[7; 16]), ["7"; 16].join(","));
}

#[test]
fn what_is_undefined_is_survived() {
    let int = PrintfArg::Int { bits: 32, lanes: 1 };
    assert_eq!(text("%d %d|", vec![int.clone()], &[5]), "5 %d|");
    assert_eq!(
        text("%f|%d", vec![int.clone(), PrintfArg::Float { bits: 32, lanes: 1 }], &[3, 2.5f32.to_bits()]),
        "3.000000|2"
    );
    assert_eq!(text("%*d|%-*d|%.*d", vec![int.clone(); 6], &[4, 7, 4, 7, 3, 7]), "   7|7   |007");
    assert_eq!(text("%s|%s", vec![PrintfArg::Pointer; 2], &[0, 0, 5, 0]), "(null)|(unknown string)");
    assert_eq!(text("%d|%k|%", vec![int.clone()], &[1]), "1|%k|%");
    assert_eq!(text("%n%d", vec![PrintfArg::Pointer, int], &[1, 2, 3]), "3");
    assert_eq!(text("%99999999d", vec![], &[]), "%99999999d");
    let mut random = Random(17);
    let alphabet: Vec<char> = "%%%%0123456789.*-+ #vhlLztjdiouxXfFeEgGaAcspnqk\0\u{1}é".chars().collect();
    for _ in 0..30_000 {
        let format: String = (0..random.below(14)).map(|_| alphabet[random.below(alphabet.len())]).collect();
        let args: Vec<PrintfArg> = (0..random.below(4))
            .map(|_| {
                let (bits, lanes) = ([8, 16, 32, 64][random.below(4)], [1, 2, 3, 4, 16][random.below(5)]);
                match random.below(4) {
                    0 => PrintfArg::Int { bits, lanes },
                    1 => PrintfArg::Float { bits: bits.max(16), lanes },
                    2 => PrintfArg::Pointer,
                    _ => PrintfArg::Text(b"text".to_vec()),
                }
            })
            .collect();
        let words: Vec<u32> = (0..random.below(40)).map(|_| random.next() as u32).collect();
        text(&format, args, &words);
    }
}

#[test]
fn strings_are_found_at_run_time() {
    let call =
        PrintfCall { format: None, args: vec![PrintfArg::Pointer, PrintfArg::Int { bits: 32, lanes: 1 }] };
    let data = b"%s=%d\0name\0";
    let strings = |at: u64| data.get(at.checked_sub(0x1_0000_0000)? as usize..).map(Cow::Borrowed);
    let mut out = Vec::new();
    Printer::new(&call).record(&[0, 1, 6, 1, 42], &strings, &mut out);
    assert_eq!(out, b"name=42");
    out.clear();
    Printer::new(&call).record(&[1000, 1, 6, 1, 42], &strings, &mut out);
    assert_eq!(out, b"");
}
