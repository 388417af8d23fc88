// Sums of n numbers, one for each work-group of 256: a strided loop, then a tree in local memory.
#define SIZE 256

__kernel __attribute__((reqd_work_group_size(SIZE, 1, 1)))
void reduce(uint n, __global const uint *restrict in, __global uint *restrict sums)
{
    __local uint part[SIZE];
    uint l = get_local_id(0);
    uint sum = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum += in[i];
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = SIZE / 2; step > 0; step /= 2) {
        if (l < step)
            part[l] += part[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        sums[get_group_id(0)] = part[0];
}
