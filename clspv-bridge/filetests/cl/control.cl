//! test cl
// expect: OpLoopMerge
kernel void control(global int *p, int n) {
    int x = get_global_id(0), sum = 0;
    for (int i = 0; i < n; i++) {
        if (p[i] < 0) continue;
        if (p[i] == 99) break;
        switch (p[i] & 7) {
        case 0: sum += 1; break;
        case 1: sum += 2;
        case 2: sum *= 3; break;
        case 5: goto out;
        default: sum ^= x;
        }
        int j = 0;
        do { sum += j; } while (++j < p[i] && sum < 1000);
        while (sum > 500) { if (p[j] == sum) return; sum >>= 1; }
    }
out:
    p[x] = sum;
}
