//! The path to a value in a document, such as `actions.0.params.matcher`.

use std::fmt;

/// The path to a value. It is a chain on the stack, so that walking a document
/// costs nothing until a problem has to be written down.
#[derive(Clone, Copy, Debug)]
pub struct Path<'p> {
    parent: Option<&'p Path<'p>>,
    segment: Segment<'p>,
}

#[derive(Clone, Copy, Debug)]
enum Segment<'p> {
    /// What a message calls the document.
    Root(&'static str),
    Field(&'p str),
    /// What a message calls an element of that array.
    Index(usize, &'static str),
}

impl<'p> Path<'p> {
    /// The path of the document itself, which is empty; `called` is what a
    /// message calls the document, such as "the execution".
    pub const fn root(called: &'static str) -> Path<'static> {
        Path { parent: None, segment: Segment::Root(called) }
    }

    /// The path of the field `name` of the object here.
    pub fn field(&'p self, name: &'p str) -> Path<'p> {
        Path { parent: Some(self), segment: Segment::Field(name) }
    }

    /// The path of the element `index` of the array here; `called` is what a
    /// message calls such an element, such as "an action".
    pub fn index(&'p self, index: usize, called: &'static str) -> Path<'p> {
        Path { parent: Some(self), segment: Segment::Index(index, called) }
    }

    /// What a message calls the value here.
    pub fn name(&self) -> &'p str {
        match self.segment {
            Segment::Root(name) | Segment::Field(name) | Segment::Index(_, name) => name,
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
            if !matches!(parent.segment, Segment::Root(_)) {
                f.write_str(".")?;
            }
        }
        match self.segment {
            Segment::Root(_) => Ok(()),
            Segment::Field(name) => f.write_str(name),
            Segment::Index(index, _) => write!(f, "{index}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_join_with_dots() {
        let root = Path::root("the execution");
        assert_eq!(root.to_string(), "");
        let actions = root.field("actions");
        let first = actions.index(0, "an action");
        assert_eq!(first.field("params").to_string(), "actions.0.params");
        assert_eq!(first.name(), "an action");
    }
}
