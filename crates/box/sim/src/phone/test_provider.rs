//! Where tests say that the phone is.

/// A provider of places that tests control.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TestProvider {
    /// Whether apps get its place.
    pub enabled: bool,
    pub place: Option<(f64, f64)>,
}
