//! Value of the expression of an `#if`.

use super::super::source::Loc;
use super::super::token::{Token, TokenKind};
use super::number::{self, Value};
use super::state::Preprocessor;

/// Maximum depth of nested expressions.
const MAX_NESTING: u32 = 256;

/// A defect of an expression, with the place to report it.
struct Defect {
    loc: Loc,
    message: String,
    /// Bracket or operator that lacks its counterpart.
    opener: Option<(Loc, char)>,
}

type Result<T> = std::result::Result<T, Defect>;

/// Defect without an opener.
fn defect(loc: Loc, message: impl Into<String>) -> Defect {
    Defect { loc, message: message.into(), opener: None }
}

/// Precedence of a binary operator; 0 for other tokens.
fn precedence(kind: TokenKind) -> u32 {
    use TokenKind as T;
    match kind {
        T::Star | T::Slash | T::Percent => 11,
        T::Plus | T::Minus => 10,
        T::Shl | T::Shr => 9,
        T::Less | T::Greater | T::LessEq | T::GreaterEq => 8,
        T::EqEq | T::NotEq => 7,
        T::Amp => 6,
        T::Caret => 5,
        T::Pipe => 4,
        T::AmpAmp => 3,
        T::PipePipe => 2,
        T::Question => 1,
        _ => 0,
    }
}

struct Evaluator<'t, 's> {
    tokens: &'t [Token],
    at: usize,
    preprocessor: &'t Preprocessor<'s>,
    depth: u32,
}

impl Preprocessor<'_> {
    /// Value of a condition, after macro expansion; false after an error.
    pub(super) fn evaluate(&mut self, tokens: &[Token]) -> bool {
        let mut evaluator = Evaluator { tokens, at: 0, preprocessor: self, depth: 0 };
        match evaluator.condition() {
            Ok(value) => value.bits != 0,
            Err(Defect { loc, message, opener }) => {
                self.error(loc, message);
                if let Some((loc, c)) = opener {
                    self.session.diagnostics.note(loc, format!("to match this '{c}'"));
                }
                false
            }
        }
    }
}

impl Evaluator<'_, '_> {
    fn peek(&self) -> TokenKind {
        self.tokens.get(self.at).map_or(TokenKind::End, |t| t.kind)
    }

    fn loc(&self) -> Loc {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(Loc::default(), |t| t.loc)
    }

    fn fail<T>(&self, message: &str) -> Result<T> {
        Err(defect(self.loc(), message))
    }

    /// Takes the counterpart of an opener.
    fn close(&mut self, kind: TokenKind, message: &str, opener: (Loc, char)) -> Result<()> {
        if self.peek() != kind {
            return Err(Defect { opener: Some(opener), ..defect(self.loc(), message) });
        }
        self.at += 1;
        Ok(())
    }

    fn condition(&mut self) -> Result<Value> {
        let value = self.expression(1, true)?;
        match self.peek() {
            TokenKind::End => Ok(value),
            TokenKind::RParen | TokenKind::Colon | TokenKind::Comma => {
                self.fail("expected end of line in preprocessor expression")
            }
            _ => self.fail("token is not a valid binary operator in a preprocessor subexpression"),
        }
    }

    /// Expression of operators of at least some precedence. `is_live` is false where the value is not used,
    /// and division by zero is not an error.
    fn expression(&mut self, least: u32, is_live: bool) -> Result<Value> {
        if self.depth >= MAX_NESTING {
            return self.fail("preprocessor expression nested too deeply");
        }
        self.depth += 1;
        let mut left = self.operand(is_live)?;
        loop {
            let operator = self.peek();
            let level = precedence(operator);
            if level == 0 || level < least {
                self.depth -= 1;
                return Ok(left);
            }
            let loc = self.loc();
            self.at += 1;
            if operator == TokenKind::Question {
                left = self.conditional(left, is_live, loc)?;
                continue;
            }
            let decides = match operator {
                TokenKind::AmpAmp => left.bits == 0,
                TokenKind::PipePipe => left.bits != 0,
                _ => false,
            };
            let right = self.expression(level + 1, is_live && !decides)?;
            left = binary(operator, left, right, is_live)
                .ok_or_else(|| defect(loc, "division by zero in preprocessor expression"))?;
        }
    }

    /// `? x : y` after the `?`.
    fn conditional(&mut self, condition: Value, is_live: bool, loc: Loc) -> Result<Value> {
        let holds = condition.bits != 0;
        let x = self.expression(1, is_live && holds)?;
        self.close(TokenKind::Colon, "expected ':'", (loc, '?'))?;
        let y = self.expression(1, is_live && !holds)?;
        let is_unsigned = x.is_unsigned || y.is_unsigned;
        Ok(Value { bits: if holds { x.bits } else { y.bits }, is_unsigned })
    }

    fn operand(&mut self, is_live: bool) -> Result<Value> {
        let Some(token) = self.tokens.get(self.at).copied() else {
            return self.fail("expected value in expression");
        };
        let symbols = &self.preprocessor.session.symbols;
        let text = token.text(symbols);
        match token.kind {
            TokenKind::Number => {
                self.at += 1;
                number::integer(text).map_err(|message| defect(token.loc, message))
            }
            TokenKind::Char => {
                self.at += 1;
                number::character(text).ok_or_else(|| defect(token.loc, "invalid character constant"))
            }
            TokenKind::Identifier => {
                self.at += 1;
                if self.peek() == TokenKind::LParen {
                    return Err(defect(token.loc, format!("function-like macro '{text}' is not defined")));
                }
                Ok(Value::of((text == "true").into()))
            }
            TokenKind::LParen => {
                self.at += 1;
                let value = self.expression(1, is_live)?;
                self.close(TokenKind::RParen, "expected ')' in preprocessor expression", (token.loc, '('))?;
                Ok(value)
            }
            TokenKind::Plus | TokenKind::Minus | TokenKind::Tilde | TokenKind::Not => {
                self.at += 1;
                if self.depth >= MAX_NESTING {
                    return self.fail("preprocessor expression nested too deeply");
                }
                self.depth += 1;
                let value = self.operand(is_live)?;
                self.depth -= 1;
                Ok(match token.kind {
                    TokenKind::Minus => Value { bits: value.bits.wrapping_neg(), ..value },
                    TokenKind::Tilde => Value { bits: !value.bits, ..value },
                    TokenKind::Not => Value::of((value.bits == 0).into()),
                    _ => value,
                })
            }
            TokenKind::End | TokenKind::RParen => self.fail("expected value in expression"),
            _ => self.fail("invalid token at start of a preprocessor expression"),
        }
    }
}

/// Value of a binary operator; `None` for a division by zero that is evaluated.
fn binary(operator: TokenKind, left: Value, right: Value, is_live: bool) -> Option<Value> {
    use TokenKind as T;
    let (x, y) = (left.bits, right.bits);
    // The left operand alone decides the type of a shift.
    let is_shift = matches!(operator, T::Shl | T::Shr);
    let is_unsigned = left.is_unsigned || right.is_unsigned && !is_shift;
    let less = if is_unsigned { (x as u128) < y as u128 } else { x < y };
    let amount = u32::try_from(y).unwrap_or(u32::MAX);
    let bits = match operator {
        T::Slash | T::Percent if y == 0 => {
            return if is_live { None } else { Some(Value { bits: 0, is_unsigned }) };
        }
        T::Slash if is_unsigned => (x as u128).wrapping_div(y as u128) as i128,
        T::Slash => x.wrapping_div(y),
        T::Percent if is_unsigned => (x as u128).wrapping_rem(y as u128) as i128,
        T::Percent => x.wrapping_rem(y),
        T::Star => x.wrapping_mul(y),
        T::Plus => x.wrapping_add(y),
        T::Minus => x.wrapping_sub(y),
        T::Shl => x.checked_shl(amount).unwrap_or(0),
        T::Shr if is_unsigned => (x as u128).checked_shr(amount).unwrap_or(0) as i128,
        T::Shr => x >> amount.min(127),
        T::Amp => x & y,
        T::Caret => x ^ y,
        T::Pipe => x | y,
        T::Less => return Some(Value::of(less.into())),
        T::GreaterEq => return Some(Value::of((!less).into())),
        T::Greater => return Some(Value::of((!less && x != y).into())),
        T::LessEq => return Some(Value::of((less || x == y).into())),
        T::EqEq => return Some(Value::of((x == y).into())),
        T::NotEq => return Some(Value::of((x != y).into())),
        T::AmpAmp => return Some(Value::of((x != 0 && y != 0).into())),
        T::PipePipe => return Some(Value::of((x != 0 || y != 0).into())),
        _ => 0,
    };
    Some(Value { bits, is_unsigned })
}
