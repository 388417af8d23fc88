#version 450
// Copies texels, and changes them by a constant of the pipeline.
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint KEY = 0;
layout(set = 0, binding = 0) uniform usamplerBuffer from;
layout(set = 0, binding = 1) writeonly buffer To { uint to[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    to[i] = texelFetch(from, int(i)).x ^ KEY;
}
