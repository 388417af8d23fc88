//! Mathematical functions: each within the error bound of section 7.4 of the OpenCL C specification (see
//! `precision`), and kernels with fixed values.

use super::{Context, Outcome, Sink, kernels};
use crate::precision;

pub fn tests(context: &Context<'_>, sink: &mut Sink<'_>) {
    kernels::tests(context, sink, "math");
    let visited = precision::each(context.api, context.device, context.quick, &mut |name, measure| {
        sink.test(name, || match measure() {
            Ok(None) => Outcome::Pass,
            Ok(Some(text)) | Err(text) => Outcome::Fail(text),
        });
    });
    if let Err(text) = visited {
        sink.test("precision", || Outcome::Fail(text));
    }
}
