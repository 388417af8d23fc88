//! Statements.

use super::Parser;
use super::keyword::Keyword as K;
use crate::front::c::ast::*;
use crate::front::c::source::Loc;
use crate::front::c::token::TokenKind as T;

impl Parser<'_> {
    /// Parses a compound statement in a scope of its own; the cursor is at the brace.
    pub fn compound_statement(&mut self) -> StmtId {
        self.sema.scopes.enter();
        let body = self.compound_body();
        self.sema.scopes.leave();
        body
    }

    /// Parses a compound statement in the current scope.
    pub(super) fn compound_body(&mut self) -> StmtId {
        let open = self.loc();
        let contracts = self.sema.contracts;
        let in_loop_head = std::mem::take(&mut self.in_loop_head);
        if !self.expect(T::LBrace, "'{'") {
            return self.sema.new_stmt(StmtKind::Empty, open);
        }
        let mut list = Vec::new();
        while !matches!(self.kind(), T::RBrace | T::End) {
            if self.sema.session.diagnostics.is_full() {
                self.give_up();
                break;
            }
            let before = self.mark();
            list.push(self.block_item());
            if self.mark() == before {
                // A token that begins nothing has been reported.
                self.next();
            }
        }
        self.sema.contracts = contracts;
        self.in_loop_head = in_loop_head;
        self.close_brace(open);
        self.sema.new_stmt(StmtKind::Compound(list), open)
    }

    fn close_brace(&mut self, open: Loc) {
        if self.kind() == T::End && self.sema.session.diagnostics.is_full() {
            return;
        }
        self.expect_close(T::RBrace, open);
    }

    /// A declaration or statement.
    fn block_item(&mut self) -> StmtId {
        if self.starts_declaration() && !self.at_statement_attributes() {
            return self.declaration_statement();
        }
        self.statement()
    }

    /// Whether attributes at the cursor belong to a statement, and not to a declaration.
    fn at_statement_attributes(&mut self) -> bool {
        if !self.at_attributes() {
            return false;
        }
        let mark = self.mark();
        let depth = self.skip_attributes();
        let is_statement = depth && !self.starts_declaration();
        self.rewind(mark);
        is_statement
    }

    /// Skips attributes without reading them; returns whether they are well formed.
    fn skip_attributes(&mut self) -> bool {
        while self.at_attributes() {
            let close = if self.kind() == T::LBracket { T::RBracket } else { T::RParen };
            if close == T::RParen {
                self.next();
            }
            if !self.accept(if close == T::RParen { T::LParen } else { T::LBracket }) {
                return false;
            }
            self.skip_to(&[close]);
            if !self.accept(close) {
                return false;
            }
        }
        true
    }

    fn declaration_statement(&mut self) -> StmtId {
        let loc = self.loc();
        let vars = self.local_declaration();
        self.sema.new_stmt(StmtKind::Decl(vars), loc)
    }

    /// Parses a statement.
    pub(super) fn statement(&mut self) -> StmtId {
        let loc = self.loc();
        match self.nested(Self::statement_inside) {
            Some(statement) => statement,
            None => self.sema.new_stmt(StmtKind::Empty, loc),
        }
    }

    fn statement_inside(&mut self) -> StmtId {
        let loc = self.loc();
        let mut hint_at = None;
        if self.at_attributes() {
            let attributes = self.attributes();
            if let Some(hint) = attributes.unroll {
                self.unroll = Some(hint);
                hint_at = attributes.limited.map(|(_, at)| at);
            }
            if self.kind() == T::RBrace {
                return self.sema.new_stmt(StmtKind::Empty, loc);
            }
        }
        let is_loop = matches!(self.keyword(), Some(K::For | K::While | K::Do));
        if !is_loop && self.unroll.take().is_some() {
            let (at, text) = match hint_at {
                Some(at) => {
                    (at, "'opencl_unroll_hint' attribute only applies to 'for', 'while', and 'do' statements")
                }
                None => (self.loc(), "expected a for, while, or do-while loop to follow '#pragma unroll'"),
            };
            self.sema.error(at, text);
        }
        match self.kind() {
            T::LBrace => return self.compound_statement(),
            T::Semicolon => {
                self.next();
                return self.sema.new_stmt(StmtKind::Empty, loc);
            }
            T::Identifier => {}
            _ => return self.expression_statement(),
        }
        match self.keyword() {
            Some(K::If) => self.if_statement(),
            Some(K::While) => self.while_statement(),
            Some(K::Do) => self.do_statement(),
            Some(K::For) => self.for_statement(),
            Some(K::Switch) => self.switch_statement(),
            Some(K::Case) => self.case_statement(),
            Some(K::Default) => self.default_statement(),
            Some(K::Break) => {
                self.next();
                self.sema.check_break(loc);
                self.end_statement("';' after break statement");
                self.sema.new_stmt(StmtKind::Break, loc)
            }
            Some(K::Continue) => {
                self.next();
                self.sema.check_continue(loc);
                self.end_statement("';' after continue statement");
                self.sema.new_stmt(StmtKind::Continue, loc)
            }
            Some(K::Goto) => self.goto_statement(),
            Some(K::Return) => self.return_statement(),
            Some(K::Asm) => {
                self.sema.error(loc, "inline assembly is not supported in OpenCL");
                self.skip_to(&[T::Semicolon]);
                self.accept(T::Semicolon);
                self.sema.new_stmt(StmtKind::Empty, loc)
            }
            None if self.peek_at(1).kind == T::Colon => self.labelled_statement(),
            _ if self.starts_declaration() => {
                // Only a block's items may be declarations.
                self.error_expected(loc, "statement");
                self.declaration_statement()
            }
            _ => self.expression_statement(),
        }
    }

    /// Expects the semicolon at the end of a statement, or skips to it.
    fn end_statement(&mut self, what: &str) {
        if self.expect(T::Semicolon, what) {
            return;
        }
        // The next line is likely a statement of its own.
        if !self.peek().at_line_start {
            self.skip_to(&[T::Semicolon]);
            self.accept(T::Semicolon);
        }
    }

    fn expression_statement(&mut self) -> StmtId {
        let loc = self.loc();
        let expr = self.expression();
        if self.sema.is_error(expr) {
            // Its error is reported; what remains of the statement is likely wrong too.
            if !self.accept(T::Semicolon) && !self.peek().at_line_start {
                self.skip_to(&[T::Semicolon]);
                self.accept(T::Semicolon);
            }
            return self.sema.new_stmt(StmtKind::Expr(expr), loc);
        }
        // The last statement of a statement expression is its value.
        let is_value = self.peek_at(1).kind == T::RBrace && self.peek_at(2).kind == T::RParen;
        if !is_value {
            self.sema.check_unused(expr);
        }
        self.end_statement("';' after expression");
        self.sema.new_stmt(StmtKind::Expr(expr), loc)
    }

    /// Parses a condition in parentheses.
    fn condition(&mut self, what: &str) -> ExprId {
        let open = self.loc();
        if !self.expect(T::LParen, what) {
            self.skip_to(&[T::Semicolon, T::LBrace]);
            return self.sema.error_expr(open);
        }
        let expr = self.expression();
        if self.sema.is_error(expr) {
            self.skip_to(&[T::RParen]);
        }
        self.expect_close(T::RParen, open);
        expr
    }

    fn if_statement(&mut self) -> StmtId {
        let loc = self.next().loc;
        let cond = self.condition("'(' after 'if'");
        let cond = self.sema.statement_condition(cond);
        let then = self.scoped_statement();
        let otherwise = self.accept_keyword(K::Else).then(|| self.scoped_statement());
        self.sema.new_stmt(StmtKind::If { cond, then, otherwise }, loc)
    }

    /// Parses a statement in a scope of its own.
    fn scoped_statement(&mut self) -> StmtId {
        self.sema.scopes.enter();
        let statement = self.statement();
        self.sema.scopes.leave();
        statement
    }

    fn loop_body(&mut self) -> StmtId {
        self.sema.enter_loop();
        let body = self.scoped_statement();
        self.sema.leave_loop();
        body
    }

    fn loop_hint(&mut self) -> LoopHint {
        self.unroll.take().unwrap_or_default()
    }

    fn while_statement(&mut self) -> StmtId {
        let hint = self.loop_hint();
        let loc = self.next().loc;
        let cond = self.condition("'(' after 'while'");
        let cond = self.sema.statement_condition(cond);
        let body = self.loop_body();
        self.sema.new_stmt(StmtKind::While { cond, body, hint }, loc)
    }

    fn do_statement(&mut self) -> StmtId {
        let hint = self.loop_hint();
        let loc = self.next().loc;
        let body = self.loop_body();
        let at = self.loc();
        let cond = if self.accept_keyword(K::While) {
            let cond = self.condition("'(' after 'while'");
            self.end_statement("';' after do/while statement");
            self.sema.statement_condition(cond)
        } else {
            self.error_expected(at, "'while' in do/while loop");
            self.sema.error_expr(at)
        };
        self.sema.new_stmt(StmtKind::DoWhile { body, cond, hint }, loc)
    }

    fn for_statement(&mut self) -> StmtId {
        let hint = self.loop_hint();
        let loc = self.next().loc;
        let open = self.loc();
        if !self.expect(T::LParen, "'(' after 'for'") {
            self.skip_to(&[T::Semicolon]);
            return self.sema.new_stmt(StmtKind::Empty, loc);
        }
        self.sema.scopes.enter();
        let init = match self.kind() {
            T::Semicolon => {
                self.next();
                None
            }
            _ if self.starts_declaration() => {
                let outer = std::mem::replace(&mut self.in_loop_head, true);
                let statement = self.declaration_statement();
                self.in_loop_head = outer;
                if self.kind() == T::RParen {
                    return self.broken_loop(loc);
                }
                Some(statement)
            }
            _ => {
                let at = self.loc();
                let expr = self.expression();
                self.sema.check_unused(expr);
                self.expect(T::Semicolon, "';' in 'for' statement specifier");
                Some(self.sema.new_stmt(StmtKind::Expr(expr), at))
            }
        };
        let cond = (!matches!(self.kind(), T::Semicolon | T::RParen)).then(|| {
            let cond = self.expression();
            self.sema.statement_condition(cond)
        });
        self.expect(T::Semicolon, "';' in 'for' statement specifier");
        let step = (self.kind() != T::RParen).then(|| {
            let step = self.expression();
            self.sema.check_unused(step);
            step
        });
        self.expect_close(T::RParen, open);
        let body = self.loop_body();
        self.sema.scopes.leave();
        self.sema.new_stmt(StmtKind::For { init, cond, step, body, hint }, loc)
    }

    /// Continues behind the head of a loop that has been reported as wrong.
    fn broken_loop(&mut self, loc: Loc) -> StmtId {
        self.next();
        self.loop_body();
        self.sema.scopes.leave();
        self.sema.new_stmt(StmtKind::Empty, loc)
    }

    fn switch_statement(&mut self) -> StmtId {
        let loc = self.next().loc;
        let value = self.condition("'(' after 'switch'");
        let value = self.sema.enter_switch(value);
        let body = self.scoped_statement();
        self.sema.leave_switch();
        self.sema.new_stmt(StmtKind::Switch { value, body }, loc)
    }

    fn case_statement(&mut self) -> StmtId {
        let loc = self.next().loc;
        let low = self.constant_expression();
        let high = self.accept(T::Ellipsis).then(|| self.constant_expression());
        let range = self.sema.check_case(low, high, loc);
        if !self.expect(T::Colon, "':' after 'case'") && self.sema.is_error(low) {
            self.skip_to(&[T::Colon]);
            self.accept(T::Colon);
        }
        let body = self.after_label(loc);
        match range {
            Some((low, high)) => self.sema.new_stmt(StmtKind::Case { low, high, body }, loc),
            None => body,
        }
    }

    fn default_statement(&mut self) -> StmtId {
        let loc = self.next().loc;
        self.sema.check_default(loc);
        self.expect(T::Colon, "':' after 'default'");
        let body = self.after_label(loc);
        self.sema.new_stmt(StmtKind::Default(body), loc)
    }

    /// The statement after a label; none before a closing brace, and declarations are accepted as in C23.
    fn after_label(&mut self, loc: Loc) -> StmtId {
        if self.kind() == T::RBrace {
            return self.sema.new_stmt(StmtKind::Empty, loc);
        }
        if self.starts_declaration() && !self.at_statement_attributes() {
            return self.declaration_statement();
        }
        self.statement()
    }

    fn labelled_statement(&mut self) -> StmtId {
        let name = self.next();
        self.next();
        self.attributes();
        let label = self.sema.define_label(name.symbol, name.loc);
        let body = self.after_label(name.loc);
        self.sema.new_stmt(StmtKind::Label { label, body }, name.loc)
    }

    fn goto_statement(&mut self) -> StmtId {
        let loc = self.next().loc;
        let Some(name) = self.identifier() else {
            let at = self.loc();
            self.error_expected(at, "identifier");
            self.skip_to(&[T::Semicolon]);
            self.accept(T::Semicolon);
            return self.sema.new_stmt(StmtKind::Empty, loc);
        };
        let at = self.next().loc;
        let label = self.sema.use_label(name, at);
        self.end_statement("';' after goto statement");
        self.sema.new_stmt(StmtKind::Goto(label), loc)
    }

    fn return_statement(&mut self) -> StmtId {
        let loc = self.next().loc;
        let value = (!matches!(self.kind(), T::Semicolon | T::RBrace)).then(|| self.expression());
        let is_error = value.is_some_and(|value| self.sema.is_error(value));
        let value = self.sema.check_return(value, loc);
        if is_error && self.kind() != T::Semicolon {
            self.skip_to(&[T::Semicolon]);
            self.accept(T::Semicolon);
        } else {
            self.end_statement("';' after return statement");
        }
        self.sema.new_stmt(StmtKind::Return(value), loc)
    }
}
