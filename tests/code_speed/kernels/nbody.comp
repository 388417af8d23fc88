#version 450
// One step of an all-pairs gravity simulation; positions are (x, y, z, mass), n is a multiple of the work-group size.
#define SIZE 128
layout(local_size_x = SIZE) in;
layout(push_constant) uniform Args { uint n; float dt; float soft; };
layout(std430, binding = 0) restrict readonly buffer P { vec4 position[]; };
layout(std430, binding = 1) restrict readonly buffer V { vec4 velocity[]; };
layout(std430, binding = 2) restrict writeonly buffer NP { vec4 new_position[]; };
layout(std430, binding = 3) restrict writeonly buffer NV { vec4 new_velocity[]; };
shared vec4 cache[SIZE];

void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
    vec4 me = position[i];
    vec3 acc = vec3(0.0);
    for (uint base = 0; base < n; base += SIZE) {
        cache[l] = position[base + l];
        barrier();
        for (uint k = 0; k < SIZE; k++) {
            vec4 other = cache[k];
            vec3 d = other.xyz - me.xyz;
            float inv = inversesqrt(dot(d, d) + soft);
            acc += d * (other.w * inv * inv * inv);
        }
        barrier();
    }
    vec3 v = velocity[i].xyz + acc * dt;
    new_velocity[i] = vec4(v, 0.0);
    new_position[i] = vec4(me.xyz + v * dt, me.w);
}
