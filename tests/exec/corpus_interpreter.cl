//! options: -cl-std=CL3.0
//! global: 64
//! local: 16
//! arg 0: i32[64] = i - 20
//! arg 1: i32[64] = 0
//! arg 2: u8[256] = (i * 7 + 3) & 255
//! expect 1: 0
// A byte-code machine with a table of operations by switch; structures of offsets into one buffer, as programs use that must
// work without shared pointers; a state machine over text.
enum { PUSH, ADD, MUL, DUP, SWAP, JUMP_IF, LOAD, STORE, HALT };
constant uchar program[] = {PUSH, 1, STORE, 0, LOAD, 1, JUMP_IF, 10, HALT, 0, LOAD, 0, PUSH, 3, MUL, PUSH, 1, ADD, STORE, 0,
    LOAD, 1, PUSH, 255, ADD, STORE, 1, PUSH, 1, JUMP_IF, 4, HALT};
int run(constant const uchar *code, int *memory, int fuel)
{
    int stack[16], top = 0, pc = 0;
    while (fuel-- > 0) {
        switch (code[pc++]) {
        case PUSH: stack[top++] = (char)code[pc++]; break;
        case ADD: top--; stack[top - 1] += stack[top]; break;
        case MUL: top--; stack[top - 1] *= stack[top]; break;
        case DUP: stack[top] = stack[top - 1]; top++; break;
        case SWAP: { int t = stack[top - 1]; stack[top - 1] = stack[top - 2]; stack[top - 2] = t; break; }
        case JUMP_IF: { int to = code[pc++]; if (stack[--top]) pc = to; break; }
        case LOAD: stack[top++] = memory[code[pc++]]; break;
        case STORE: memory[code[pc++]] = stack[--top]; break;
        case HALT: return memory[0];
        default: return -1;
        }
    }
    return -2;
}
typedef struct { uint bytes, words, count; } layout;
uint checksum(__global const uchar *base, const layout *l, uint salt)
{
    __global const uchar *bytes = base + l->bytes;
    __global const ushort *words = (__global const ushort *)(base + l->words);
    uint sum = salt;
    for (uint k = 0; k < l->count; k++)
        sum = rotate(sum, 5u) ^ bytes[k] ^ (uint)words[k] << 8;
    return sum;
}
int tokens(__global const uchar *text, int n)
{
    enum { GAP, NUMBER, WORD } state = GAP;
    int count = 0;
    for (int k = 0; k < n; k++) {
        uchar c = text[k];
        int digit = c >= '0' && c <= '9', letter = (c | 32) >= 'a' && (c | 32) <= 'z';
        switch (state) {
        case GAP:
            if (digit || letter) { count++; state = digit ? NUMBER : WORD; }
            break;
        case NUMBER:
            if (!digit) { state = letter ? WORD : GAP; count += letter; }
            break;
        case WORD:
            if (!digit && !letter) state = GAP;
        }
    }
    return count;
}
__kernel void test(__global const int *a, __global int *r, __global const uchar *data)
{
    int i = get_global_id(0), n = i % 9, bad = 0;
    int memory[4] = {0, n, 0, 0};
    int want = 1;
    for (int k = 0; k < n; k++)
        want = want * 3 + 1;
    bad |= run(program, memory, 1000) != want || run(program, memory, 2) != -2;
    layout l = {i & 31, (i & 7) * 2, 20 + (i & 15)};
    uint sum = a[i];
    for (uint k = 0; k < l.count; k++) {
        uint low = data[l.words + 2 * k], high = data[l.words + 2 * k + 1];
        sum = (sum << 5 | sum >> 27) ^ data[l.bytes + k] ^ (low | high << 8) << 8;
    }
    bad |= (checksum(data, &l, a[i]) != sum) << 1;
    int count = 0, last = 0;
    for (int k = 0; k < 100 + i; k++) {
        uchar c = data[k];
        int kind = c >= '0' && c <= '9' ? 1 : (c | 32) >= 'a' && (c | 32) <= 'z' ? 2 : 0;
        if (last == 2 && kind == 1)
            kind = 2;
        count += kind && kind != last;
        last = kind;
    }
    bad |= (tokens(data, 100 + i) != count) << 2;
    r[i] = bad;
}
