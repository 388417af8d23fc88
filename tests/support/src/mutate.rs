//! Mutations of SPIR-V modules, instruction by instruction: for `hostile.rs` and for the fuzz target.

/// Words of a module's header.
pub const HEADER: usize = 5;

/// Pseudo-random number generator with a seed.
pub struct Rng(pub u64);

impl Rng {
    /// Returns a number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// Changes a few instructions; each word that does not start a valid instruction counts as one.
pub fn mutate(module: &[u32], rng: &mut Rng) -> Vec<u32> {
    let mut insts: Vec<Vec<u32>> = Vec::new();
    let mut rest = module.get(HEADER..).unwrap_or_default();
    while let Some(first) = rest.first() {
        let (inst, tail) = rest.split_at(((first >> 16) as usize).clamp(1, rest.len()));
        insts.push(inst.to_vec());
        rest = tail;
    }
    let bound = module.get(3).map_or(0, |b| (*b).min(1 << 16) as usize);
    for _ in 0..1 + rng.below(4) {
        if insts.is_empty() {
            break;
        }
        let at = rng.below(insts.len());
        let other = insts[rng.below(insts.len())].clone();
        let operand = 1 + rng.below(insts[at].len().saturating_sub(1));
        let odd = [0, 1, 2, 3, 7, 31, 32, 64, 255, 0x7fff_ffff, 0x8000_0000, u32::MAX];
        let new = match rng.below(3) {
            0 => other[rng.below(other.len())],
            1 => rng.below(bound) as u32,
            _ => odd[rng.below(odd.len())],
        };
        match rng.below(10) {
            0 => drop(insts.remove(at)),
            1 => insts.insert(at, other),
            2 => {
                let to = rng.below(insts.len());
                insts.swap(at, to);
            }
            3 => insts[at][0] = insts[at][0] & 0xffff_0000 | other[0] & 0xffff,
            4 => {
                insts[at].push(new);
                insts[at][0] = insts[at][0] & 0xffff | (insts[at].len() as u32) << 16;
            }
            _ => {
                if let Some(word) = insts[at].get_mut(operand) {
                    *word = new;
                }
            }
        }
    }
    module.iter().take(HEADER).chain(insts.iter().flatten()).copied().collect()
}
