//! What single files promise, through the public API.

mod approval_qr;
mod model_name;
mod model_sse;
mod snapshot_scale;
