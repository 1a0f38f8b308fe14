//! Where in a payload something stands, such as `actions.0.params.matcher`.

use std::fmt;

/// A place in a document, kept as a chain on the stack so that walking costs
/// nothing until a problem has to be written down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'p> {
    parent: Option<&'p At<'p>>,
    segment: Segment<'p>,
}

#[derive(Clone, Copy, Debug)]
enum Segment<'p> {
    Root,
    Field(&'p str),
    Index(usize),
}

impl<'p> At<'p> {
    /// The document itself; its path is empty.
    pub(crate) const ROOT: At<'static> = At {
        parent: None,
        segment: Segment::Root,
    };

    /// The field `name` of the object here.
    pub(crate) fn field(&'p self, name: &'p str) -> At<'p> {
        At {
            parent: Some(self),
            segment: Segment::Field(name),
        }
    }

    /// The name of the field here, as a message would say it.
    pub(crate) fn name(&self) -> &'p str {
        match self.segment {
            Segment::Root => "the execution",
            Segment::Field(name) => name,
            Segment::Index(_) => "an action",
        }
    }

    /// The element `index` of the array here.
    pub(crate) fn index(&'p self, index: usize) -> At<'p> {
        At {
            parent: Some(self),
            segment: Segment::Index(index),
        }
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
            if !matches!(parent.segment, Segment::Root) {
                f.write_str(".")?;
            }
        }
        match self.segment {
            Segment::Root => Ok(()),
            Segment::Field(name) => f.write_str(name),
            Segment::Index(index) => write!(f, "{index}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_join_with_dots() {
        assert_eq!(At::ROOT.to_string(), "");
        let actions = At::ROOT.field("actions");
        let first = actions.index(0);
        assert_eq!(first.field("params").to_string(), "actions.0.params");
    }
}
