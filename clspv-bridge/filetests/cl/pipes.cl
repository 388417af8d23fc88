//! test cl
// expect: OpAtomicCompareExchange
typedef struct { char tag; int value; } Packet;
kernel void write(global const Packet *in, write_only pipe Packet out, global int *done) {
    int i = get_global_id(0);
    done[i] = write_pipe(out, in + i) + (int)get_pipe_max_packets(out);
}
kernel void read(read_only pipe Packet in, global Packet *out, local reserve_id_t *kept) {
    reserve_id_t id = reserve_read_pipe(in, 2);
    *kept = id;
    if (is_valid_reserve_id(id)) {
        read_pipe(in, *kept, 0, out);
        read_pipe(in, *kept, 1, out + 1);
        commit_read_pipe(in, *kept);
    }
    if (get_pipe_num_packets(in) > 3) read_pipe(in, out + 2);
}
kernel void groups(write_only pipe double2 out, global const double2 *in) {
    reserve_id_t id = work_group_reserve_write_pipe(out, get_local_size(0));
    if (is_valid_reserve_id(id)) write_pipe(out, id, get_local_id(0), in + get_global_id(0));
    work_group_commit_write_pipe(out, id);
    id = sub_group_reserve_write_pipe(out, get_sub_group_size());
    if (is_valid_reserve_id(id)) write_pipe(out, id, get_sub_group_local_id(), in + get_global_id(0));
    sub_group_commit_write_pipe(out, id);
}
