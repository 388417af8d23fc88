//! Pipe functions (OpenCL C, section 6.15.17).

use super::super::super::types::AccessMode;
use super::super::row::{BuiltinExpansion, Domain, PipeOp, Row};
use crate::ir::Scope;

/// Rows of this section.
pub fn rows() -> Vec<Row> {
    let read = Domain::Pipe(AccessMode::ReadOnly);
    let write = Domain::Pipe(AccessMode::WriteOnly);
    let (item, sub, group) = (Scope::WorkItem, Scope::SubGroup, Scope::WorkGroup);
    let rows = [
        ("read_pipe", "int pT a*T", read, PipeOp::Read),
        ("write_pipe", "int pT ka*T", write, PipeOp::Write),
        ("read_pipe", "int pT reserve_id uint a*T", read, PipeOp::ReservedRead),
        ("write_pipe", "int pT reserve_id uint ka*T", write, PipeOp::ReservedWrite),
        ("reserve_read_pipe", "reserve_id pT uint", read, PipeOp::ReserveRead(item)),
        ("reserve_write_pipe", "reserve_id pT uint", write, PipeOp::ReserveWrite(item)),
        ("commit_read_pipe", "void pT reserve_id", read, PipeOp::CommitRead(item)),
        ("commit_write_pipe", "void pT reserve_id", write, PipeOp::CommitWrite(item)),
        ("sub_group_reserve_read_pipe", "reserve_id pT uint", read, PipeOp::ReserveRead(sub)),
        ("sub_group_reserve_write_pipe", "reserve_id pT uint", write, PipeOp::ReserveWrite(sub)),
        ("sub_group_commit_read_pipe", "void pT reserve_id", read, PipeOp::CommitRead(sub)),
        ("sub_group_commit_write_pipe", "void pT reserve_id", write, PipeOp::CommitWrite(sub)),
        ("work_group_reserve_read_pipe", "reserve_id pT uint", read, PipeOp::ReserveRead(group)),
        ("work_group_reserve_write_pipe", "reserve_id pT uint", write, PipeOp::ReserveWrite(group)),
        ("work_group_commit_read_pipe", "void pT reserve_id", read, PipeOp::CommitRead(group)),
        ("work_group_commit_write_pipe", "void pT reserve_id", write, PipeOp::CommitWrite(group)),
        ("is_valid_reserve_id", "bool reserve_id", Domain::None, PipeOp::IsValid),
        ("get_pipe_num_packets", "uint pT", read, PipeOp::NumPackets),
        ("get_pipe_num_packets", "uint pT", write, PipeOp::NumPackets),
        ("get_pipe_max_packets", "uint pT", read, PipeOp::MaxPackets),
        ("get_pipe_max_packets", "uint pT", write, PipeOp::MaxPackets),
    ];
    rows.into_iter()
        .map(|(name, signature, domain, op)| {
            let row = Row::new(name, signature, domain, BuiltinExpansion::Pipe(op))
                .since(200)
                .one_of(&["__opencl_c_pipes", "cl_khr_pipes"]);
            if op == PipeOp::IsValid { row } else { row.in_2_0() }
        })
        .collect()
}
