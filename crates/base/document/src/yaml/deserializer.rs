//! Makes types of YAML nodes. What depends on a type is kept small, as it is
//! compiled once for each type that is read.

use super::mistake::Mistake;
use super::node::{Shape, Value, Values};
use super::scalar::{self, Scalar};
use super::spanned::SPANNED;
use crate::position::Position;
use serde::de::value::SeqDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, VariantAccess, Visitor,
};

impl<'de> Value<'de> {
    #[cold]
    fn wrong(self, message: &str) -> Mistake {
        Mistake::new(message).at(self.node.at)
    }

    fn is_null(self) -> bool {
        self.node.shape == Shape::Plain && scalar::is_null(&self.node.text)
    }

    /// The text of a scalar, whatever it means.
    fn scalar(self) -> Result<&'de str, Mistake> {
        self.name().ok_or_else(|| self.wrong("write a text or a number here, not a list or a map"))
    }

    fn text(self) -> Result<&'de str, Mistake> {
        if self.is_null() {
            return Err(self.wrong("a text is missing here; write '' for an empty one"));
        }
        self.scalar()
    }

    fn integer<T: TryFrom<i128>>(self, name: &str) -> Result<T, Mistake> {
        let number = scalar::integer(self.scalar()?).and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| self.wrong(&format!("write a whole number here that fits {name}")))
    }

    /// What a scalar means where any type will do.
    fn meaning(self) -> Result<Scalar, Mistake> {
        if self.node.shape == Shape::Quoted {
            return Ok(Scalar::Text);
        }
        match Scalar::of(&self.node.text) {
            Scalar::Float(number) if !number.is_finite() => {
                Err(self.wrong(&format!("a number must be finite, not `{}`", self.node.text)))
            }
            scalar => Ok(scalar),
        }
    }

    /// What is inside a list or a map; nothing is inside null.
    fn contents(self, shape: Shape, name: &str) -> Result<Values<'de>, Mistake> {
        if self.node.shape == shape || self.is_null() {
            Ok(self.inside())
        } else {
            Err(self.wrong(&format!("write a {name} here")))
        }
    }

    fn tuple(self, length: usize) -> Result<Items<'de>, Mistake> {
        let values = self.contents(Shape::List, "list")?;
        let count = values.count();
        if count > length {
            let expected = format!("a tuple of size {length}");
            return Err(Mistake::invalid_length(count, &&*expected).at(self.node.at));
        }
        Ok(Items(values))
    }

    fn variant(self, name: &str, variants: &[&str]) -> Result<Variant<'de>, Mistake> {
        if let Some((tag, value)) = self.split_tag() {
            let word = &*tag.node.text;
            if variants.contains(&word) {
                return Ok(Variant { name: tag, value: Some(value) });
            }
            if word != name {
                return Err(self.wrong(&format!("the tag !{word} is not known here")));
            }
        }
        if self.name().is_some() {
            return Ok(Variant { name: self, value: None });
        }
        if self.node.shape != Shape::Map {
            return Err(self.wrong("write one of the known words here, or one entry with its value"));
        }
        let mut entries = self.inside();
        let name = entries.next().filter(|name| name.name().is_some());
        let name = name.ok_or_else(|| self.wrong("an entry with one of the known words is missing here"))?;
        let value = entries.next();
        match entries.next() {
            Some(other) => Err(other.wrong("only one entry may stand here")),
            None => Ok(Variant { name, value }),
        }
    }
}

/// The methods that read a whole number.
macro_rules! integers {
    ($($method:ident $visit:ident $type:ident,)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
            visitor.$visit(self.integer(stringify!($type))?)
        })+
    };
}

/// The methods that do the same as others.
macro_rules! same {
    ($($method:ident($($name:ident: $type:ty),*) $other:ident($($passed:ident),*),)+) => {
        $(fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value, Mistake> {
            self.$other($($passed,)* visitor)
        })+
    };
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Mistake;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match self.node.shape {
            Shape::List => return self.deserialize_seq(visitor),
            Shape::Map => return self.deserialize_map(visitor),
            Shape::Plain | Shape::Quoted | Shape::Tag => {}
        }
        match self.meaning()? {
            Scalar::Null => visitor.visit_unit(),
            Scalar::Flag(flag) => visitor.visit_bool(flag),
            Scalar::Signed(number) => visitor.visit_i64(number),
            Scalar::Unsigned(number) => visitor.visit_u64(number),
            Scalar::Float(number) => visitor.visit_f64(number),
            Scalar::Text => visitor.visit_borrowed_str(&self.node.text),
        }
    }

    integers! {
        deserialize_i8 visit_i8 i8,
        deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64,
        deserialize_i128 visit_i128 i128,
        deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64,
    }

    same! {
        deserialize_f32() deserialize_f64(),
        deserialize_char() deserialize_str(),
        deserialize_string() deserialize_str(),
        deserialize_bytes() deserialize_any(),
        deserialize_byte_buf() deserialize_any(),
        deserialize_tuple_struct(_name: &'static str, length: usize) deserialize_tuple(length),
        deserialize_struct(_name: &'static str, _fields: &'static [&'static str]) deserialize_map(),
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let flag = scalar::flag(self.scalar()?);
        visitor.visit_bool(flag.ok_or_else(|| self.wrong("write true or false here"))?)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let number = scalar::float(self.scalar()?);
        visitor.visit_f64(number.ok_or_else(|| self.wrong("write a number here"))?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_borrowed_str(if self.node.shape == Shape::Tag {
            &self.node.text
        } else {
            self.scalar()?
        })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        if self.is_null() { visitor.visit_unit() } else { Err(self.wrong("nothing may stand here")) }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        let is_empty = self.node.shape == Shape::Map && self.inside().next().is_none();
        if is_empty { visitor.visit_unit() } else { self.deserialize_unit(visitor) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        if name == SPANNED { visitor.visit_map(Span(self)) } else { visitor.visit_newtype_struct(self) }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor
            .visit_seq(Items(self.contents(Shape::List, "list")?))
            .map_err(|mistake| mistake.at(self.node.at))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_seq(self.tuple(length)?).map_err(|mistake| mistake.at(self.node.at))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let mut entries = Entries { rest: self.contents(Shape::Map, "map")?, at: self.node.at };
        visitor.visit_map(EntryAccess(&mut entries)).map_err(|mistake| mistake.at(entries.at))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        visitor.visit_enum(self.variant(name, variants)?)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_unit()
    }
}

/// Makes a part of a value; its mistakes are where it is, if that is not known more exactly.
fn make<'de, S: DeserializeSeed<'de>>(seed: S, value: Value<'de>) -> Result<S::Value, Mistake> {
    seed.deserialize(value).map_err(|mistake| mistake.at(value.node.at))
}

struct Items<'de>(Values<'de>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Mistake;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Mistake> {
        self.0.next().map(|value| make(seed, value)).transpose()
    }
}

struct Entries<'de> {
    rest: Values<'de>,
    /// Where the last key is.
    at: Position,
}

struct EntryAccess<'e, 'de>(&'e mut Entries<'de>);

impl<'de> MapAccess<'de> for EntryAccess<'_, 'de> {
    type Error = Mistake;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Mistake> {
        let Some(key) = self.0.rest.next() else { return Ok(None) };
        self.0.at = key.node.at;
        make(seed, key).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Mistake> {
        let value = self.0.rest.next().ok_or_else(|| Mistake::new("a key has no value"))?;
        make(seed, value)
    }
}

/// A value with its position: one entry whose key is the line and the column.
struct Span<'de>(Value<'de>);

impl<'de> MapAccess<'de> for Span<'de> {
    type Error = Mistake;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Mistake> {
        let Position { line, column } = self.0.node.at;
        seed.deserialize(SeqDeserializer::new([line, column].into_iter())).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Mistake> {
        make(seed, self.0)
    }
}

struct Variant<'de> {
    name: Value<'de>,
    value: Option<Value<'de>>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Mistake;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Mistake> {
        Ok((make(seed, self.name)?, self))
    }
}

impl<'de> Variant<'de> {
    fn value(&self) -> Result<Value<'de>, Mistake> {
        self.value.ok_or_else(|| self.name.wrong("the value of this word is missing"))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = Mistake;

    fn unit_variant(self) -> Result<(), Mistake> {
        match self.value {
            Some(value) if !value.is_null() => Err(value.wrong("this word takes no value")),
            Some(_) | None => Ok(()),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Mistake> {
        make(seed, self.value()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Mistake> {
        self.value()?.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        self.value()?.deserialize_map(visitor)
    }
}
