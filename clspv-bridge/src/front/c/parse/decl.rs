//! Declarations.

use super::Parser;
use crate::front::c::token::TokenKind;

impl Parser<'_> {
    /// Parses the declarations of the unit.
    pub(super) fn translation_unit(&mut self) {
        while self.kind() != TokenKind::End {
            self.next();
        }
    }
}
