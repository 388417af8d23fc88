// Escape-time iteration counts of the Mandelbrot set, one work-item a pixel.
__kernel void mandelbrot(__global uchar *image, uint width, uint height, float cx, float cy, float scale, uint limit)
{
    uint px = get_global_id(0), py = get_global_id(1);
    if (px >= width || py >= height)
        return;
    float x0 = cx + ((float)px - 0.5f * (float)width) * scale;
    float y0 = cy + ((float)py - 0.5f * (float)height) * scale;
    float x = 0.0f, y = 0.0f;
    uint i = 0;
    while (i < limit && x * x + y * y < 4.0f) {
        float t = x * x - y * y + x0;
        y = 2.0f * x * y + y0;
        x = t;
        i++;
    }
    __global uchar *pixel = image + 3 * (py * width + px);
    if (i == limit) {
        pixel[0] = pixel[1] = pixel[2] = 0;
    } else {
        pixel[0] = (uchar)(9 * i & 255);
        pixel[1] = (uchar)(5 * i & 255);
        pixel[2] = (uchar)(64 + 3 * i & 255);
    }
}
