//! Work in pieces: programs, and tasks that each measure one line of the result with a kernel of a program.
//! Threads take the tasks, each with its own context and queue.

use super::device::{Api, Device, Program, Session};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A line of the table: the function and how it is measured.
#[derive(Clone, Debug)]
pub struct Line {
    pub name: String,
    pub kind: String,
    pub mode: &'static str,
    pub allowed: String,
}

/// Result of a measurement.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub tried: u64,
    pub wrong: u64,
    /// In units in the last place.
    pub worst: f64,
    pub worst_at: String,
    /// Operands and results of the first wrong one.
    pub wrong_at: Option<String>,
}

impl Row {
    /// Merges the result of another share; of equal errors this one's is kept.
    pub fn add(&mut self, other: Row) {
        self.tried += other.tried;
        self.wrong += other.wrong;
        if other.worst > self.worst {
            (self.worst, self.worst_at) = (other.worst, other.worst_at);
        }
        self.wrong_at = self.wrong_at.take().or(other.wrong_at);
    }
    /// Counts one result.
    pub fn count(
        &mut self,
        ulp: f64,
        good: bool,
        operands: impl Fn() -> String,
        results: impl Fn() -> String,
    ) {
        self.tried += 1;
        if ulp > self.worst {
            (self.worst, self.worst_at) = (ulp, operands());
        }
        if !good {
            self.wrong += 1;
            self.wrong_at.get_or_insert_with(|| format!("{} gives {}", operands(), results()));
        }
    }
}

type Work<'t> = Box<dyn Fn(&Session<'_>, &Program<'_>) -> Result<Row, String> + Sync + 't>;

pub struct Task<'t> {
    pub line: Line,
    /// Index of the program.
    pub program: usize,
    pub work: Work<'t>,
}

#[derive(Default)]
pub struct MeasurementPlan<'t> {
    /// Sources with build options.
    pub programs: Vec<(String, &'static str)>,
    pub tasks: Vec<Task<'t>>,
}

impl MeasurementPlan<'_> {
    /// Adds a program; returns its index.
    pub fn program(&mut self, source: String, options: &'static str) -> usize {
        self.programs.push((source, options));
        self.programs.len() - 1
    }

    /// Executes every task. Rows are in the order of the tasks; `done` is called for each as it completes.
    pub fn run(
        &self,
        api: &Api,
        device: &Device,
        jobs: usize,
        done: impl Fn(&Line, &Row) + Sync,
    ) -> Result<Vec<Row>, String> {
        // Builds each once, so that threads find them in the driver's cache.
        spread(jobs, self.programs.len(), |indices| {
            let session = Session::new(api, device)?;
            for (source, options) in indices.map(|i| &self.programs[i]) {
                session.build(source, options)?;
            }
            Ok(())
        })?;
        let rows = Mutex::new(vec![Row::default(); self.tasks.len()]);
        spread(jobs, self.tasks.len(), |indices| {
            let session = Session::new(api, device)?;
            let mut built: Vec<Option<Program<'_>>> = self.programs.iter().map(|_| None).collect();
            for index in indices {
                let task = &self.tasks[index];
                let program = match &mut built[task.program] {
                    Some(program) => program,
                    none => none.insert(
                        session.build(&self.programs[task.program].0, self.programs[task.program].1)?,
                    ),
                };
                let row = (task.work)(&session, program)
                    .map_err(|e| format!("{} {}: {e}", task.line.name, task.line.kind))?;
                done(&task.line, &row);
                rows.lock().map_err(|e| e.to_string())?[index] = row;
            }
            Ok(())
        })?;
        rows.into_inner().map_err(|e| e.to_string())
    }
}

/// Distributes the numbers below `count` to threads, each of which takes one after the other. The first error
/// ends all.
pub fn spread(
    jobs: usize,
    count: usize,
    body: impl Fn(&mut dyn Iterator<Item = usize>) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let worker = || {
            let result = body(&mut std::iter::from_fn(|| {
                Some(next.fetch_add(1, Ordering::Relaxed)).filter(|i| *i < count)
            }));
            if result.is_err() {
                next.store(count, Ordering::Relaxed);
            }
            result
        };
        let threads: Vec<_> = (0..jobs.min(count)).map(|_| scope.spawn(worker)).collect();
        let mut all = Ok(());
        for thread in threads {
            all = all.and(thread.join().unwrap_or_else(|_| Err("a worker panicked".into())));
        }
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_taken_once_and_errors_end_all() {
        let seen = Mutex::new(Vec::new());
        spread(3, 100, |indices| {
            indices.for_each(|i| seen.lock().unwrap().push(i));
            Ok(())
        })
        .unwrap();
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        assert_eq!(seen, (0..100).collect::<Vec<_>>());
        let failed =
            spread(
                2,
                1000,
                |mut indices| if (&mut indices).any(|i| i == 5) { Err("five".to_owned()) } else { Ok(()) },
            );
        assert_eq!(failed, Err("five".to_owned()));
    }

    #[test]
    fn rows_add_up() {
        let mut row = Row::default();
        row.count(0.5, true, || "a".into(), String::new);
        let mut other = Row::default();
        other.count(3.0, false, || "b".into(), || "c".into());
        row.add(other);
        assert_eq!((row.tried, row.wrong, row.worst), (2, 1, 3.0));
        assert_eq!((row.worst_at.as_str(), row.wrong_at.as_deref()), ("b", Some("b gives c")));
    }
}
