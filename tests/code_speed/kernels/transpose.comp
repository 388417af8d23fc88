#version 450
// Transpose of an n x n matrix, n a multiple of 32: tiles of 32 x 32 pass through local memory, a work-item moves four elements.
#define TILE 32
#define ROWS 8
layout(local_size_x = TILE, local_size_y = ROWS) in;
layout(push_constant) uniform Args { uint n; };
layout(std430, binding = 0) restrict readonly buffer In { float src[]; };
layout(std430, binding = 1) restrict writeonly buffer Out { float dst[]; };
shared float tile[TILE][TILE + 1];

void main()
{
    uint lx = gl_LocalInvocationID.x, ly = gl_LocalInvocationID.y;
    uint x = gl_WorkGroupID.x * TILE + lx, y = gl_WorkGroupID.y * TILE + ly;
    for (uint k = 0; k < TILE; k += ROWS)
        tile[ly + k][lx] = src[(y + k) * n + x];
    barrier();
    x = gl_WorkGroupID.y * TILE + lx;
    y = gl_WorkGroupID.x * TILE + ly;
    for (uint k = 0; k < TILE; k += ROWS)
        dst[(y + k) * n + x] = tile[lx][ly + k];
}
