//! The variants of a world: the phones that a skill must get along with. Pure.

use clawperator_contract::words;
use clawperator_sim::Latency;
use clawperator_sim::fault::{Fault, FaultPoint};

/// How the phone of one run behaves.
#[derive(Clone, Debug)]
pub struct Conditions {
    pub latency: Latency,
    pub faults: Vec<Fault>,
    pub seed: u64,
    /// Before which command of the run the phone is interrupted, from one.
    pub interrupted_at: Option<u32>,
}

impl Conditions {
    /// The same with one more fault, unless there is one of its point already.
    pub fn with_own_first(self, fault: Fault) -> Self {
        if self.faults.iter().any(|other| other.point == fault.point) { self } else { self.with(fault) }
    }

    /// The same with one more fault; it takes the place of another of its point.
    pub fn with(mut self, fault: Fault) -> Self {
        self.faults.retain(|other| other.point != fault.point);
        self.faults.push(fault);
        self
    }

    /// The same on a phone that takes no touch and no key.
    pub(super) fn untouched(self) -> Self {
        self.with(often(FaultPoint::InputDropped, 100))
    }

    /// When the phone was interrupted, for messages.
    pub fn when(&self) -> String {
        let at = self.interrupted_at;
        at.map_or(String::new(), |at| format!("with a call before command {at}: "))
    }
}

words! {
    /// How the phone of a world behaves.
    pub(super) Variant {
        Plain = "plain",
        Slow = "slow",
        /// The screen moves, so that dumps of it are refused now and then.
        Restless = "restless",
        /// A call comes in and ends again, in each run before another command.
        Interrupted = "interrupted",
    }
}

/// How many of a hundred dumps fail on a restless phone.
const NOT_IDLE_PERCENT: u8 = 20;
const NO_ROOT_PERCENT: u8 = 5;
/// How long a call rings.
const RINGS_MS: u64 = 2_000;

impl Variant {
    /// The conditions of each run. `commands` is how many the phone gets from the skill, and `most`
    /// how often the skill is interrupted at the most. What goes wrong by the file stays; only the
    /// call of an interruption takes the place of another.
    pub(super) fn conditions(self, plain: Conditions, commands: u32, most: u32) -> Vec<Conditions> {
        match self {
            // A call that never comes counts the commands.
            Self::Plain => vec![plain.with_own_first(call(0, 0))],
            Self::Slow => vec![Conditions { latency: Latency::PixelLike, ..plain }],
            Self::Restless => vec![
                plain
                    .with_own_first(often(FaultPoint::DumpNotIdle, NOT_IDLE_PERCENT))
                    .with_own_first(often(FaultPoint::DumpNullRoot, NO_ROOT_PERCENT)),
            ],
            Self::Interrupted => {
                let places = places(commands, most);
                let at = |skip: u32| Conditions {
                    interrupted_at: Some(skip + 1),
                    ..plain.clone().with(call(1, skip))
                };
                places.into_iter().map(at).collect()
            }
        }
    }
}

/// Up to so many places among so many, the first among them, evenly spread.
fn places(of: u32, most: u32) -> Vec<u32> {
    let count = of.min(most);
    let place = |at: u32| u64::from(at) * u64::from(of) / u64::from(count.max(1));
    (0..count).map(|at| u32::try_from(place(at)).unwrap_or(0)).collect()
}

fn call(times: u32, skip: u32) -> Fault {
    Fault { point: FaultPoint::MissedCall, value: RINGS_MS, percent: 100, times, skip }
}

fn often(point: FaultPoint, percent: u8) -> Fault {
    Fault { point, value: 0, percent, times: u32::MAX, skip: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill_test::world_file::WorldFile;
    use std::path::Path;

    #[test]
    fn the_faults_of_a_file_are_neither_removed_nor_weakened() {
        for (faults, variant, wanted) in [
            ("missed_call=9000", Variant::Plain, "missed_call=9000"),
            ("reboot", Variant::Plain, "reboot"),
            ("dump_not_idle@90%", Variant::Restless, "dump_not_idle@90%, dump_null_root@5%"),
            ("", Variant::Restless, "dump_not_idle@20%, dump_null_root@5%"),
            ("missed_call=9000", Variant::Interrupted, "missed_call=2000"),
        ] {
            let file = format!("faults: [{faults}]\nexpect: {{}}");
            let world = WorldFile::parse(&file, Path::new("/nowhere"), "a.world.yaml").unwrap();
            let conditions = variant.conditions(world.conditions(), 1, 1);
            let effective = conditions[0].faults.iter().filter(|fault| fault.times > 0);
            let found: Vec<String> = effective.map(shown).collect();
            assert_eq!(found.join(", "), wanted, "{faults} {variant:?}");
        }
    }

    fn shown(fault: &Fault) -> String {
        let name = fault.point.name();
        match (fault.value, fault.percent) {
            (0, 100) => name.to_owned(),
            (0, percent) => format!("{name}@{percent}%"),
            (value, _) => format!("{name}={value}"),
        }
    }

    #[test]
    fn interruptions_are_spread_over_all_commands() {
        for (of, most, wanted) in [
            (0, 4, &[][..]),
            (3, 4, &[0, 1, 2]),
            (4, 4, &[0, 1, 2, 3]),
            (9, 3, &[0, 3, 6]),
            (10, 4, &[0, 2, 5, 7]),
        ] {
            assert_eq!(places(of, most), wanted, "{of} {most}");
        }
    }
}
