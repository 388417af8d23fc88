//! Division of the commands of a buffer with several queues into parts, each of one queue and replayed as one
//! command.
//!
//! A command that waits for commands of other queues begins a new part, and the parts that it waits for are
//! closed. So parts only wait for earlier parts. A part waits for those of the wait lists of its commands,
//! for the previous part of its queue and for the last barrier: never for less than required, sometimes for
//! more. Pure.

/// Ordering of a command among the others.
#[derive(Clone, Default, Debug)]
pub struct CommandOrder {
    /// Index among the queues of the buffer.
    pub queue: usize,
    /// Indices of earlier commands that it waits for.
    pub waits: Vec<usize>,
    /// Whether it is a barrier: later commands wait for it.
    pub barrier: bool,
}

/// Commands that are replayed together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedPart {
    pub queue: usize,
    /// Indices of the commands.
    pub commands: Vec<usize>,
    /// Indices of the parts that it depends on.
    pub after: Vec<usize>,
}

/// Divides the commands of a buffer with `queues` queues.
pub fn divide(commands: &[CommandOrder], queues: usize) -> Vec<PlannedPart> {
    if queues == 1 {
        return vec![PlannedPart { queue: 0, commands: (0..commands.len()).collect(), after: Vec::new() }];
    }
    let mut parts: Vec<PlannedPart> = Vec::new();
    // For each command its part; for each queue the open part, and the last part.
    let mut part_of: Vec<usize> = Vec::with_capacity(commands.len());
    let (mut open, mut last) = (vec![None; queues], vec![None; queues]);
    let mut barrier = None;
    for (i, command) in commands.iter().enumerate() {
        let queue = command.queue;
        let waited: Vec<usize> = command.waits.iter().map(|w| part_of[*w]).collect();
        let foreign = waited.iter().filter(|p| parts[**p].queue != queue);
        foreign.clone().for_each(|p| open[parts[*p].queue] = open[parts[*p].queue].filter(|o| o != p));
        if let Some(part) = open[queue].filter(|_| !command.barrier && foreign.count() == 0) {
            let part: usize = part;
            parts[part].commands.push(i);
            part_of.push(part);
            continue;
        }
        let mut after: Vec<usize> = waited;
        after.extend(last[queue].into_iter().chain(barrier));
        if command.barrier && command.waits.is_empty() {
            after.extend(last.iter().flatten());
        }
        after.sort_unstable();
        after.dedup();
        let part = parts.len();
        parts.push(PlannedPart { queue, commands: vec![i], after });
        part_of.push(part);
        last[queue] = Some(part);
        if command.barrier {
            open.fill(None);
            barrier = Some(part);
        } else {
            open[queue] = Some(part);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(queue: usize, waits: &[usize]) -> CommandOrder {
        CommandOrder { queue, waits: waits.to_vec(), barrier: false }
    }

    fn barrier(queue: usize, waits: &[usize]) -> CommandOrder {
        CommandOrder { barrier: true, ..order(queue, waits) }
    }

    fn part(queue: usize, commands: &[usize], after: &[usize]) -> PlannedPart {
        PlannedPart { queue, commands: commands.to_vec(), after: after.to_vec() }
    }

    #[test]
    fn one_queue_is_one_part() {
        let commands = [order(0, &[]), barrier(0, &[]), order(0, &[0])];
        assert_eq!(divide(&commands, 1), [part(0, &[0, 1, 2], &[])]);
        assert_eq!(divide(&[], 2), []);
    }

    #[test]
    fn queues_that_do_not_meet_are_a_part_each() {
        let commands = [order(0, &[]), order(1, &[]), order(0, &[0]), order(1, &[1])];
        assert_eq!(divide(&commands, 2), [part(0, &[0, 2], &[]), part(1, &[1, 3], &[])]);
    }

    #[test]
    fn a_wait_for_another_queue_begins_a_part() {
        let commands =
            [order(0, &[]), order(1, &[]), order(1, &[0]), order(0, &[]), order(0, &[2]), order(1, &[])];
        let expected = [
            part(0, &[0], &[]),
            part(1, &[1], &[]),
            part(1, &[2], &[0, 1]),
            // A part that is waited for is closed.
            part(0, &[3], &[0]),
            part(0, &[4], &[2, 3]),
            part(1, &[5], &[2]),
        ];
        assert_eq!(divide(&commands, 2), expected);
    }

    #[test]
    fn barriers_are_before_everything_that_follows() {
        let commands = [
            order(0, &[]),
            order(1, &[]),
            barrier(0, &[]),
            order(2, &[]),
            order(1, &[]),
            barrier(2, &[4]),
            order(0, &[]),
        ];
        let expected = [
            part(0, &[0], &[]),
            part(1, &[1], &[]),
            part(0, &[2], &[0, 1]),
            part(2, &[3], &[2]),
            part(1, &[4], &[1, 2]),
            part(2, &[5], &[2, 3, 4]),
            part(0, &[6], &[2, 5]),
        ];
        assert_eq!(divide(&commands, 3), expected);
    }

    /// For any recording: each command is in one part of its queue, commands of a queue keep their order, and
    /// the commands that a command waits for precede it, in its own part or in one that its part depends on.
    #[test]
    fn parts_keep_every_order() {
        let mut state = 7u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % limit.max(1)
        };
        for _ in 0..300 {
            let (queues, count) = (1 + below(4), below(30));
            let commands: Vec<CommandOrder> = (0..count)
                .map(|i| {
                    let waits = (0..if i == 0 { 0 } else { below(4) }).map(|_| below(i)).collect();
                    CommandOrder { queue: below(queues), waits, barrier: below(8) == 0 }
                })
                .collect();
            let parts = divide(&commands, queues);
            let mut part_of = vec![usize::MAX; count];
            let mut before: Vec<Vec<bool>> = Vec::new();
            for (p, part) in parts.iter().enumerate() {
                let mut all = vec![false; parts.len()];
                for a in &part.after {
                    assert!(*a < p);
                    all[*a] = true;
                    (0..*a).for_each(|b| all[b] |= before[*a][b]);
                }
                before.push(all);
                for c in &part.commands {
                    assert_eq!((part_of[*c], commands[*c].queue), (usize::MAX, part.queue));
                    part_of[*c] = p;
                }
                assert!(part.commands.is_sorted());
            }
            let is_before = |a: usize, b: usize| part_of[a] == part_of[b] || before[part_of[b]][part_of[a]];
            for (i, command) in commands.iter().enumerate() {
                assert!(command.waits.iter().all(|w| is_before(*w, i)));
                for j in 0..i {
                    let same = commands[j].queue == command.queue;
                    let all = command.barrier && command.waits.is_empty();
                    assert!(
                        !(same || all || commands[j].barrier) || is_before(j, i),
                        "{j} before {i} of {commands:?}"
                    );
                }
            }
        }
    }
}
