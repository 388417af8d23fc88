// One step of an all-pairs gravity simulation; positions are (x, y, z, mass).
__kernel void step_bodies(__global const float4 *position, __global const float4 *velocity, __global float4 *new_position,
                          __global float4 *new_velocity, uint n, float dt, float soft, __local float4 *cache)
{
    uint i = get_global_id(0), l = get_local_id(0), group = get_local_size(0);
    float4 me = position[i];
    float3 acc = (float3)(0.0f);
    for (uint base = 0; base < n; base += group) {
        cache[l] = position[base + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < group; k++) {
            float4 other = cache[k];
            float3 d = other.xyz - me.xyz;
            float inv = rsqrt(dot(d, d) + soft);
            acc += d * (other.w * inv * inv * inv);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float3 v = velocity[i].xyz + acc * dt;
    new_velocity[i] = (float4)(v, 0.0f);
    new_position[i] = (float4)(me.xyz + v * dt, me.w);
}
