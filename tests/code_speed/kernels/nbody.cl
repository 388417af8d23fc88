// One step of an all-pairs gravity simulation; positions are (x, y, z, mass), n is a multiple of the work-group size.
#define SIZE 128

__kernel __attribute__((reqd_work_group_size(SIZE, 1, 1)))
void nbody(uint n, float dt, float soft, __global const float4 *restrict position, __global const float4 *restrict velocity,
           __global float4 *restrict new_position, __global float4 *restrict new_velocity)
{
    __local float4 cache[SIZE];
    uint i = get_global_id(0), l = get_local_id(0);
    float4 me = position[i];
    float3 acc = (float3)(0.0f);
    for (uint base = 0; base < n; base += SIZE) {
        cache[l] = position[base + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < SIZE; k++) {
            float4 other = cache[k];
            float3 d = other.xyz - me.xyz;
            float inv = native_rsqrt(dot(d, d) + soft);
            acc += d * (other.w * inv * inv * inv);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float3 v = velocity[i].xyz + acc * dt;
    new_velocity[i] = (float4)(v, 0.0f);
    new_position[i] = (float4)(me.xyz + v * dt, me.w);
}
