"""An OpenCL program in Python that checks the results of every device of the platform Pyroclast."""

import sys

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

SOURCE = """
kernel void dot_rows(global const float *a, global const float *x, global float *y, int columns)
{
    int row = get_global_id(0);
    float sum = 0;
    for (int i = 0; i < columns; i++) sum = fma(a[row * columns + i], x[i], sum);
    y[row] = sum;
}
"""


def check(device):
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    random = np.random.default_rng(1)
    matrix = random.random((500, 300), dtype=np.float32)
    vector = random.random(300, dtype=np.float32)
    a, x = cl_array.to_device(queue, matrix), cl_array.to_device(queue, vector)
    y = cl_array.empty(queue, 500, np.float32)
    program = cl.Program(context, SOURCE).build()
    program.dot_rows(queue, (500,), None, a.data, x.data, y.data, np.int32(300))
    np.testing.assert_allclose(y.get(), matrix @ vector, rtol=1e-4)
    # PyOpenCL's own kernels.
    np.testing.assert_array_equal((a + 2 * a).get(), matrix + 2 * matrix)
    total = cl_array.sum(a).get()
    np.testing.assert_allclose(total, matrix.sum(dtype=np.float64), rtol=1e-4)


platforms = [p for p in cl.get_platforms() if p.name == "Pyroclast"]
if not platforms:
    sys.exit("the platform Pyroclast is not listed")
for found in platforms[0].get_devices():
    check(found)
    print(f"{found.name}: results are right ({found.version})")
