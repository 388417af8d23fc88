#version 450
#extension GL_EXT_control_flow_attributes : require
// C = A * B for n x n row-major matrices, n a multiple of 64: a work-group of 16 x 16 computes 64 x 64 elements, a work-item
// 4 x 4 of them; tiles of 64 x 16 of both matrices pass through local memory.
#define TILE 64
#define DEPTH 16
#define WORK 4
#define SIDE (TILE / WORK)
layout(local_size_x = SIDE, local_size_y = SIDE) in;
layout(push_constant) uniform Args { uint n; };
layout(std430, binding = 0) restrict readonly buffer A { float a[]; };
layout(std430, binding = 1) restrict readonly buffer B { float b[]; };
layout(std430, binding = 2) restrict writeonly buffer C { float c[]; };
shared float tile_a[DEPTH][TILE + 1], tile_b[DEPTH][TILE];

void main()
{
    uint lx = gl_LocalInvocationID.x, ly = gl_LocalInvocationID.y, l = ly * SIDE + lx;
    uint col = gl_WorkGroupID.x * TILE, row = gl_WorkGroupID.y * TILE;
    float sum[WORK][WORK];
    [[unroll]] for (uint i = 0; i < WORK; i++)
        [[unroll]] for (uint j = 0; j < WORK; j++)
            sum[i][j] = 0.0;
    for (uint t = 0; t < n; t += DEPTH) {
        [[unroll]] for (uint w = 0; w < WORK; w++) {
            uint e = l + w * SIDE * SIDE;
            tile_a[e % DEPTH][e / DEPTH] = a[(row + e / DEPTH) * n + t + e % DEPTH];
            tile_b[e / TILE][e % TILE] = b[(t + e / TILE) * n + col + e % TILE];
        }
        barrier();
        for (uint k = 0; k < DEPTH; k++) {
            float x[WORK], y[WORK];
            [[unroll]] for (uint i = 0; i < WORK; i++) {
                x[i] = tile_a[k][ly + i * SIDE];
                y[i] = tile_b[k][lx + i * SIDE];
            }
            [[unroll]] for (uint i = 0; i < WORK; i++)
                [[unroll]] for (uint j = 0; j < WORK; j++)
                    sum[i][j] += x[i] * y[j];
        }
        barrier();
    }
    [[unroll]] for (uint i = 0; i < WORK; i++)
        [[unroll]] for (uint j = 0; j < WORK; j++)
            c[(row + ly + i * SIDE) * n + col + lx + j * SIDE] = sum[i][j];
}
