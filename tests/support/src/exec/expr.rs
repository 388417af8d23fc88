//! Expressions of the execution tests: expected results of kernels, evaluated on the host.
//!
//! C operators and precedence over integers (wide, wrapped only when stored) and doubles. `i` is the
//! element's index, `argN` the element of argument N before the launch, `argN[expr]` another of its elements.
//! [`call`] lists the functions.

/// A value: integers stay exact, everything else is a double.
#[derive(Clone, Copy, Debug)]
pub enum Num {
    Int(i128),
    Float(f64),
}

impl Num {
    pub fn float(self) -> f64 {
        match self {
            Num::Int(x) => x as f64,
            Num::Float(x) => x,
        }
    }
    pub fn int(self) -> i128 {
        match self {
            Num::Int(x) => x,
            Num::Float(x) => x as i128,
        }
    }
    fn truth(self) -> bool {
        match self {
            Num::Int(x) => x != 0,
            Num::Float(x) => x != 0.0,
        }
    }
}

/// Returns the value of `argN[index]`.
pub type Lookup<'a> = dyn Fn(usize, i128) -> Result<Num, String> + 'a;

pub struct Eval<'a> {
    tokens: Vec<String>,
    at: usize,
    index: i128,
    lookup: &'a Lookup<'a>,
}

/// Evaluates `text` for element `index`.
pub fn evaluate(text: &str, index: usize, lookup: &Lookup<'_>) -> Result<Num, String> {
    let mut eval = Eval { tokens: tokenize(text)?, at: 0, index: index as i128, lookup };
    let value = eval.ternary()?;
    match eval.tokens.get(eval.at) {
        None => Ok(value),
        Some(t) => Err(format!("unexpected '{t}' in '{text}'")),
    }
}

fn tokenize(text: &str) -> Result<Vec<String>, String> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i];
        if c.is_whitespace() {
            i += 1;
            continue;
        }
        let start = i;
        if c.is_ascii_digit() {
            while i < chars.len()
                && (chars[i].is_ascii_alphanumeric()
                    || chars[i] == '.'
                    || (matches!(chars[i], '+' | '-')
                        && chars[i - 1] == 'e'
                        && !chars[start..i].contains(&'x')))
            {
                i += 1;
            }
        } else if c.is_ascii_alphabetic() || c == '_' {
            while i < chars.len() && (chars[i].is_ascii_alphanumeric() || chars[i] == '_') {
                i += 1;
            }
        } else {
            let two: String = chars[i..(i + 2).min(chars.len())].iter().collect();
            i += if ["<<", ">>", "<=", ">=", "==", "!=", "&&", "||"].contains(&two.as_str()) { 2 } else { 1 };
            if !"+-*/%&|^<>=!~?:()[],".contains(c) {
                return Err(format!("bad character '{c}' in '{text}'"));
            }
        }
        tokens.push(chars[start..i].iter().collect());
    }
    Ok(tokens)
}

const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Eval<'_> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }
    fn take(&mut self, token: &str) -> bool {
        let hit = self.peek() == token;
        self.at += usize::from(hit);
        hit
    }
    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.take(token) { Ok(()) } else { Err(format!("expected '{token}', found '{}'", self.peek())) }
    }
    fn ternary(&mut self) -> Result<Num, String> {
        let cond = self.binary(0)?;
        if !self.take("?") {
            return Ok(cond);
        }
        let a = self.ternary()?;
        self.expect(":")?;
        let b = self.ternary()?;
        Ok(if cond.truth() { a } else { b })
    }
    fn binary(&mut self, level: usize) -> Result<Num, String> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut x = self.binary(level + 1)?;
        while LEVELS[level].contains(&self.peek()) {
            let op = self.peek().to_owned();
            self.at += 1;
            let y = self.binary(level + 1)?;
            x = apply(&op, x, y)?;
        }
        Ok(x)
    }
    fn unary(&mut self) -> Result<Num, String> {
        if self.take("-") {
            return Ok(match self.unary()? {
                Num::Int(x) => Num::Int(-x),
                Num::Float(x) => Num::Float(-x),
            });
        }
        if self.take("~") {
            return Ok(Num::Int(!self.unary()?.int()));
        }
        if self.take("!") {
            return Ok(Num::Int(i128::from(!self.unary()?.truth())));
        }
        if self.take("(") {
            let x = self.ternary()?;
            self.expect(")")?;
            return Ok(x);
        }
        let token = self.peek().to_owned();
        self.at += 1;
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            return number(&token);
        }
        if token == "i" {
            return Ok(Num::Int(self.index));
        }
        if token == "inf" || token == "nan" {
            return Ok(Num::Float(if token == "inf" { f64::INFINITY } else { f64::NAN }));
        }
        if let Some(n) = token.strip_prefix("arg").and_then(|n| n.parse().ok()) {
            let mut at = self.index;
            if self.take("[") {
                at = self.ternary()?.int();
                self.expect("]")?;
            }
            return (self.lookup)(n, at);
        }
        self.expect("(").map_err(|_| format!("unknown name '{token}'"))?;
        let mut args = Vec::new();
        while !self.take(")") {
            args.push(self.ternary()?);
            if !self.take(",") && self.peek() != ")" {
                return Err(format!("expected ')' after the arguments of {token}"));
            }
        }
        call(&token, &args)
    }
}

fn number(token: &str) -> Result<Num, String> {
    if let Some(hex) = token.strip_prefix("0x") {
        return i128::from_str_radix(hex, 16).map(Num::Int).map_err(|e| format!("{token}: {e}"));
    }
    match token.parse::<i128>() {
        Ok(x) => Ok(Num::Int(x)),
        Err(_) => token.parse().map(Num::Float).map_err(|e| format!("{token}: {e}")),
    }
}

fn apply(op: &str, x: Num, y: Num) -> Result<Num, String> {
    let flag = |b: bool| Num::Int(i128::from(b));
    Ok(match op {
        "||" => flag(x.truth() || y.truth()),
        "&&" => flag(x.truth() && y.truth()),
        "|" => Num::Int(x.int() | y.int()),
        "^" => Num::Int(x.int() ^ y.int()),
        "&" => Num::Int(x.int() & y.int()),
        "<<" => Num::Int(x.int() << y.int()),
        ">>" => Num::Int(x.int() >> y.int()),
        _ => match (x, y) {
            (Num::Int(a), Num::Int(b)) => match op {
                "==" => flag(a == b),
                "!=" => flag(a != b),
                "<" => flag(a < b),
                "<=" => flag(a <= b),
                ">" => flag(a > b),
                ">=" => flag(a >= b),
                "+" => Num::Int(a.wrapping_add(b)),
                "-" => Num::Int(a.wrapping_sub(b)),
                "*" => Num::Int(a.wrapping_mul(b)),
                _ if b == 0 => return Err("division by zero".into()),
                "/" => Num::Int(a / b),
                _ => Num::Int(a % b),
            },
            _ => {
                let (a, b) = (x.float(), y.float());
                match op {
                    "==" => flag(a == b),
                    "!=" => flag(a != b),
                    "<" => flag(a < b),
                    "<=" => flag(a <= b),
                    ">" => flag(a > b),
                    ">=" => flag(a >= b),
                    "+" => Num::Float(a + b),
                    "-" => Num::Float(a - b),
                    "*" => Num::Float(a * b),
                    "/" => Num::Float(a / b),
                    _ => Num::Float(a % b),
                }
            }
        },
    })
}

fn call(name: &str, args: &[Num]) -> Result<Num, String> {
    let f = |k: usize| args.get(k).map(|x| x.float()).ok_or_else(|| format!("{name}: too few arguments"));
    let n = |k: usize| args.get(k).map(|x| x.int()).ok_or_else(|| format!("{name}: too few arguments"));
    let wrap = |bits: u32, signed: bool, x: i128| {
        let low = x & ((1i128 << bits) - 1);
        if signed && low >> (bits - 1) & 1 == 1 { low - (1i128 << bits) } else { low }
    };
    Ok(match name {
        "i8" | "i16" | "i32" | "i64" => Num::Int(wrap(name[1..].parse().unwrap_or(64), true, n(0)?)),
        "u8" | "u16" | "u32" | "u64" => Num::Int(wrap(name[1..].parse().unwrap_or(64), false, n(0)?)),
        "f32" => Num::Float(f(0)? as f32 as f64),
        "f32bits" => Num::Float(f32::from_bits(n(0)? as u32) as f64),
        "bits32" => Num::Int((f(0)? as f32).to_bits() as i128),
        "int" => Num::Int(f(0)? as i128),
        "abs" => match args.first() {
            Some(Num::Int(x)) => Num::Int(x.abs()),
            _ => Num::Float(f(0)?.abs()),
        },
        "min" | "max" => match (args.first(), args.get(1)) {
            (Some(Num::Int(a)), Some(Num::Int(b))) => {
                Num::Int(if name == "min" { *a.min(b) } else { *a.max(b) })
            }
            _ => Num::Float(if name == "min" { f(0)?.min(f(1)?) } else { f(0)?.max(f(1)?) }),
        },
        "popcount" => Num::Int(i128::from(n(0)?.count_ones())),
        "sqrt" => Num::Float(f(0)?.sqrt()),
        "rsqrt" => Num::Float(1.0 / f(0)?.sqrt()),
        "cbrt" => Num::Float(f(0)?.cbrt()),
        "exp" => Num::Float(f(0)?.exp()),
        "exp2" => Num::Float(f(0)?.exp2()),
        "exp10" => Num::Float(10f64.powf(f(0)?)),
        "expm1" => Num::Float(f(0)?.exp_m1()),
        "log" => Num::Float(f(0)?.ln()),
        "log2" => Num::Float(f(0)?.log2()),
        "log10" => Num::Float(f(0)?.log10()),
        "log1p" => Num::Float(f(0)?.ln_1p()),
        "sin" => Num::Float(f(0)?.sin()),
        "cos" => Num::Float(f(0)?.cos()),
        "tan" => Num::Float(f(0)?.tan()),
        "asin" => Num::Float(f(0)?.asin()),
        "acos" => Num::Float(f(0)?.acos()),
        "atan" => Num::Float(f(0)?.atan()),
        "atan2" => Num::Float(f(0)?.atan2(f(1)?)),
        "sinh" => Num::Float(f(0)?.sinh()),
        "cosh" => Num::Float(f(0)?.cosh()),
        "tanh" => Num::Float(f(0)?.tanh()),
        "pow" => Num::Float(f(0)?.powf(f(1)?)),
        "hypot" => Num::Float(f(0)?.hypot(f(1)?)),
        "fmod" => Num::Float(f(0)? % f(1)?),
        "fma" => Num::Float((f(0)? as f32).mul_add(f(1)? as f32, f(2)? as f32) as f64),
        "floor" => Num::Float(f(0)?.floor()),
        "ceil" => Num::Float(f(0)?.ceil()),
        "trunc" => Num::Float(f(0)?.trunc()),
        "round" => Num::Float(f(0)?.round()),
        "rint" => Num::Float(f(0)?.round_ties_even()),
        _ => return Err(format!("unknown function '{name}'")),
    })
}
