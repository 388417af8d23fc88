//! Quantities as text for people.

/// A duration, with three digits.
pub fn time(nanoseconds: u64) -> String {
    let ns = nanoseconds as f64;
    match nanoseconds {
        0..1_000 => format!("{nanoseconds} ns"),
        1_000..1_000_000 => format!("{} µs", digits(ns / 1e3)),
        1_000_000..1_000_000_000 => format!("{} ms", digits(ns / 1e6)),
        _ => format!("{} s", digits(ns / 1e9)),
    }
}

/// A size, with three digits.
pub fn bytes(bytes: u64) -> String {
    let value = bytes as f64;
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{} KiB", digits(value / 1024.0)),
        1_048_576..1_073_741_824 => format!("{} MiB", digits(value / 1_048_576.0)),
        _ => format!("{} GiB", digits(value / 1_073_741_824.0)),
    }
}

/// A rate in units of 10^9 each second; empty if it is unknown.
pub fn giga(count: u64, nanoseconds: u64) -> String {
    if count == 0 || nanoseconds == 0 { String::new() } else { digits(count as f64 / nanoseconds as f64) }
}

/// A number of things, whose plural has an s.
pub fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// A part of a whole.
pub fn percent(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// The sum of values; damaged recordings may have any.
pub fn total(values: impl IntoIterator<Item = u64>) -> u64 {
    values.into_iter().fold(0, u64::saturating_add)
}

/// Three digits of a number.
fn digits(value: f64) -> String {
    match value {
        v if v < 10.0 => format!("{v:.2}"),
        v if v < 100.0 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!(
            [0, 999, 1_234, 56_789, 7_000_000_000].map(time),
            ["0 ns", "999 ns", "1.23 µs", "56.8 µs", "7.00 s"]
        );
        assert_eq!([4, 2_048, 5 << 20].map(bytes), ["4 B", "2.00 KiB", "5.00 MiB"]);
        assert_eq!((giga(10, 5), giga(0, 5), percent(1, 3)), ("2.00".into(), String::new(), "33.3 %".into()));
    }
}
