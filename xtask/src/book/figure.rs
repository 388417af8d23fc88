//! `cargo xtask figure`: the figure of the README, from the table of kernels in `docs/performance.md`.

use std::fmt::Write;

/// Heading of the table's section.
const SECTION: &str = "## Kernels on processors";
/// Kernels in the figure.
const KERNELS: [&str; 7] = ["triad", "SGEMM tiled", "N-body", "reduction", "histogram", "stencil", "SHA-256"];
/// Columns of the table, with colours that differ in brightness, too.
const COLUMNS: [(&str, &str); 3] = [("CPU device", "#d95f02"), ("PoCL", "#7570b3"), ("Intel", "#a6bddb")];
const BAR: usize = 11;
const LEFT: usize = 130;
const WIDTH: usize = 420;

/// Rewrites `docs/images/kernels.svg`.
pub fn run() -> Result<(), String> {
    let path = super::root().join("docs/images/kernels.svg");
    std::fs::write(&path, svg(&page()?)?).map_err(|e| format!("{}: {e}", path.display()))
}

fn page() -> Result<String, String> {
    std::fs::read_to_string(super::root().join("docs/performance.md")).map_err(|e| e.to_string())
}

/// A kernel with its unit and its speed in each of [`COLUMNS`].
type Row = (String, String, [f64; 3]);

/// Rows of the table in the section.
fn rows(page: &str) -> Result<Vec<Row>, String> {
    let section = page.split_once(SECTION).ok_or("the section about kernels")?.1;
    let table: Vec<Vec<&str>> = section
        .lines()
        .skip_while(|l| !l.starts_with("| kernel |"))
        .take_while(|l| l.starts_with('|'))
        .map(|l| l.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let head = table.first().ok_or("the table of kernels")?;
    let mut rows = Vec::new();
    for kernel in KERNELS {
        let row = table.iter().find(|r| r[0].split(',').next() == Some(kernel));
        let row = row.ok_or_else(|| format!("the row of {kernel}"))?;
        let mut speeds = [0.0; 3];
        for (speed, (column, _)) in speeds.iter_mut().zip(COLUMNS) {
            let at = head.iter().position(|h| *h == column).ok_or_else(|| format!("the column {column}"))?;
            *speed = row[at].replace(',', "").parse().map_err(|_| format!("{kernel}: {}", row[at]))?;
        }
        let unit = row[0].split_once(", ").map_or("", |(_, unit)| unit);
        rows.push((kernel.to_string(), unit.to_string(), speeds));
    }
    Ok(rows)
}

/// Horizontal bars: each kernel's speeds relative to its best.
fn svg(page: &str) -> Result<String, String> {
    let rows = rows(page)?;
    let group = BAR * COLUMNS.len() + 12;
    let height = 40 + rows.len() * group + 10;
    let full = LEFT + WIDTH + 110;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{full}\" height=\"{height}\" \
         viewBox=\"0 0 {full} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>Speed of kernels on two processors, relative to the best (longer is faster)</title>\n\
         <rect width=\"{full}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for (i, (name, colour)) in COLUMNS.iter().enumerate() {
        let x = LEFT + i * 130;
        let _ = writeln!(out, "<rect x=\"{x}\" y=\"10\" width=\"12\" height=\"12\" fill=\"{colour}\"/>");
        let _ = writeln!(out, "<text x=\"{}\" y=\"20\">{name}</text>", x + 18);
    }
    for (i, (kernel, unit, speeds)) in rows.iter().enumerate() {
        let top = 40 + i * group;
        let middle = top + group / 2 - 2;
        let _ = writeln!(out, "<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{kernel}</text>", LEFT - 8);
        let best = speeds.iter().fold(0.0, |a: f64, b| a.max(*b));
        for (j, (speed, (_, colour))) in speeds.iter().zip(COLUMNS).enumerate() {
            let (y, width) = (top + j * BAR, speed / best * WIDTH as f64);
            let _ = writeln!(
                out,
                "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{width:.1}\" height=\"{}\" fill=\"{colour}\"/>",
                BAR - 1
            );
            let _ = writeln!(
                out,
                "<text x=\"{:.1}\" y=\"{}\" font-size=\"10\">{speed} {unit}</text>",
                LEFT as f64 + width + 4.0,
                y + BAR - 2
            );
        }
    }
    out.push_str("</svg>\n");
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figure_shows_the_table() {
        let path = crate::book::root().join("docs/images/kernels.svg");
        let committed = std::fs::read_to_string(path).expect("the figure");
        assert!(committed == svg(&page().expect("the page")).expect("a figure"), "run `cargo xtask figure`");
    }
}
