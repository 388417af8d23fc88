#version 450
// Sums of n numbers, one for each work-group of 256: a strided loop, then a tree in local memory.
#define SIZE 256
layout(local_size_x = SIZE) in;
layout(push_constant) uniform Args { uint n; };
layout(std430, binding = 0) restrict readonly buffer In { uint src[]; };
layout(std430, binding = 1) restrict writeonly buffer Sums { uint sums[]; };
shared uint part[SIZE];

void main()
{
    uint l = gl_LocalInvocationID.x;
    uint sum = 0;
    for (uint i = gl_GlobalInvocationID.x; i < n; i += gl_NumWorkGroups.x * SIZE)
        sum += src[i];
    part[l] = sum;
    barrier();
    for (uint step = SIZE / 2; step > 0; step /= 2) {
        if (l < step)
            part[l] += part[l + step];
        barrier();
    }
    if (l == 0)
        sums[gl_WorkGroupID.x] = part[0];
}
