//! The log: a `tracing` subscriber that writes to stderr, installed only if PYROCLAST_LOG is set.
//!
//! The driver library contains its own copy of `tracing`, so this subscriber receives our events alone and
//! does not affect a subscriber of the host program. When linked into a Rust program that has installed a
//! subscriber, that one is used.

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{fmt, registry};

/// Installs the subscriber if there is a filter; an invalid filter means "warn".
pub fn init(filter: Option<&str>) {
    let Some(text) = filter else { return };
    let warnings = || Targets::new().with_default(LevelFilter::WARN);
    let filter = expand(text).parse::<Targets>().unwrap_or_else(|_| warnings());
    let subscriber = registry().with(fmt::layer().with_writer(std::io::stderr).with_ansi(false)).with(filter);
    // Fails only if the program has its own subscriber, which then receives our events.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

/// Directives for `pyroclast::x` also name the runtime crate's module, whose events are of
/// `pyroclast_runtime::x`.
fn expand(text: &str) -> String {
    let mut out = Vec::new();
    for directive in text.split(',') {
        out.push(directive.trim().to_string());
        if let Some(rest) = directive.trim().strip_prefix("pyroclast::") {
            out.push(format!("pyroclast_runtime::{rest}"));
        }
    }
    out.join(",")
}

#[cfg(test)]
mod tests {
    use tracing::Level;
    use tracing_subscriber::filter::Targets;

    #[test]
    fn filters_have_levels_by_module() {
        let filter: Targets = super::expand("warn,pyroclast::queue=debug").parse().expect("a filter");
        let queue = "pyroclast_runtime::queue::graph";
        assert!(filter.would_enable(queue, &Level::DEBUG) && !filter.would_enable(queue, &Level::TRACE));
        assert!(filter.would_enable("x", &Level::WARN) && !filter.would_enable("x", &Level::INFO));
    }

    #[test]
    fn short_module_names_reach_the_runtime() {
        assert_eq!(
            super::expand("warn, pyroclast::queue=debug"),
            "warn,pyroclast::queue=debug,pyroclast_runtime::queue=debug"
        );
    }
}
