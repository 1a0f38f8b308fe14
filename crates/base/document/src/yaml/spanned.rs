//! A value that knows where it was read.

use crate::position::Position;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// The name by which the reader of YAML knows that a position is wanted.
pub(super) const SPANNED: &str = "$clawperator::Spanned";

/// A value with its position in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    pub value: T,
    /// Where it is used; nothing if it was not read from YAML, or through a type that tries others.
    pub position: Option<Position>,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_newtype_struct(SPANNED, SpannedVisitor(PhantomData))
    }
}

struct SpannedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for SpannedVisitor<T> {
    type Value = Spanned<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<Spanned<T>, D::Error> {
        Ok(Spanned { value: T::deserialize(from)?, position: None })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Spanned<T>, A::Error> {
        let place: Option<(u64, u64)> = from.next_key()?;
        let position = place.map(|(line, column)| Position { line, column });
        Ok(Spanned { value: from.next_value()?, position })
    }
}
