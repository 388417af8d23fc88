// Blocks and device-side enqueue (OpenCL C, sections 6.12.5 and 6.15.18). options: -cl-std=CL3.0

//--- blocks before OpenCL C 2.0 | -cl-std=CL1.2
kernel void k(void) { ^{ }(); }
//                    ^ error: blocks support disabled - they require OpenCL C 2.0, or OpenCL C 3.0 with __opencl_c_device_enqueue
//--- blocks without the feature | no:__opencl_c_device_enqueue
kernel void k(void) { void (^b)(void) = ^{ }; }
//                          ^ error: blocks support disabled - they require OpenCL C 2.0, or OpenCL C 3.0 with __opencl_c_device_enqueue
//                                      ^ error: blocks support disabled - they require OpenCL C 2.0, or OpenCL C 3.0 with __opencl_c_device_enqueue
//--- block without a value
kernel void k(void) { void (^b)(void); }
//                           ^ error: invalid block variable declaration - must be initialized
//--- block that is assigned
kernel void k(void) { void (^b)(void) = ^{ }; b = ^{ }; }
//                                              ^ error: invalid operands to binary expression ('void (__generic ^const __private)(void)' and 'void (__generic ^)(void)')
//--- block of another type
kernel void k(void) { void (^b)(int) = ^{ }; }
//                           ^ error: initializing 'void (__generic ^const __private)(int)' with an expression of incompatible type 'void (__generic ^)(void)'
//--- block with another result
kernel void k(void) { int (^b)(void) = ^{ return 1.0f; }; }
//                          ^ error: initializing 'int (__generic ^const __private)(void)' with an expression of incompatible type 'float (__generic ^)(void)'
//--- results of different types
kernel void k(int n) { int (^b)(void) = ^{ if (n) return 1; return 1.0f; }; }
//                                                          ^ error: return type 'float' must match previous return type 'int' when block literal has unspecified explicit return type
//--- call with too few arguments
kernel void k(void) { int (^b)(int) = ^(int x) { return x; }; b(); }
//                                                              ^ error: too few arguments to block call, expected 1, have 0
//--- call with too many arguments
kernel void k(void) { int (^b)(int) = ^(int x) { return x; }; b(1, 2); }
//                                                                 ^ error: too many arguments to block call, expected 1, have 2
//--- call with a structure
struct s { int x; };
kernel void k(struct s s) { int (^b)(int) = ^(int x) { return x; }; b(s); }
//                                                                    ^ error: passing '__private struct s' to parameter of incompatible type 'int'
//--- array of blocks
kernel void k(void) { void (^b[2])(void) = { ^{ }, ^{ } }; }
//                            ^ error: array of 'void (__generic ^const)(void)' type is invalid in OpenCL
//--- pointer to a block
kernel void k(void) { void (^b)(void) = ^{ }; &b; }
//                                            ^ error: invalid argument type 'void (__generic ^const __private)(void)' to unary expression
//--- block parameter
void f(void (^b)(void)) { }
//            ^ error: declaring function parameter of type 'void (__generic ^const __private)(void)' is not allowed
//--- block result
typedef void (^bt)(void);
bt f(void);
// ^ error: declaring function return value of type 'bt' (aka 'void (__generic ^const)(void)') is not allowed
//--- block member
struct s { void (^b)(void); };
//                ^ error: the 'void (__generic ^const)(void)' type cannot be used to declare a structure or union field
//--- block that uses a block
kernel void k(void) { void (^a)(void) = ^{ }; void (^b)(void) = ^{ a(); }; }
//                                                                 ^ error: cannot refer to a block inside block
//--- block in a conditional
kernel void k(int n) { void (^a)(void) = ^{ }, (^b)(void) = ^{ }; (n ? a : b)(); }
//                                                                     ^ error: block type cannot be used as expression in ternary expression in OpenCL
//                                                                         ^ error: block type cannot be used as expression in ternary expression in OpenCL
//--- variable arguments of a block
kernel void k(void) { int (^b)(int, ...) = ^(int x, ...) { return x; }; }
//                         ^ error: invalid prototype, variadic arguments are not allowed in OpenCL
//                                         ^ error: invalid prototype, variadic arguments are not allowed in OpenCL
//--- extern block
kernel void k(void) { extern void (^b)(void); }
//                                  ^ error: invalid block variable declaration - using 'extern' storage class is disallowed
//--- storage of blocks
kernel void k(void) { __block int x = 1; }
//                    ^ error: the __block storage type is not permitted
//--- variable of the kernel that a block assigns
kernel void k(void) { int x = 1; void (^b)(void) = ^{ x = 2; }; }
//                                                      ^ error: variable is not assignable (missing __block type specifier)
//--- variable of the kernel that a block increments
kernel void k(void) { int x = 1; void (^b)(void) = ^{ x++; }; }
//                                                     ^ error: variable is not assignable (missing __block type specifier)
//--- argument of the kernel that a block assigns
kernel void k(int n) { void (^b)(void) = ^{ n += 2; }; }
//                                            ^ error: variable is not assignable (missing __block type specifier)
//--- component that a block assigns
kernel void k(float4 v) { void (^b)(void) = ^{ v.x = 2.0f; }; }
//                                                 ^ error: variable is not assignable (missing __block type specifier)
//--- member that a block assigns
struct s { int x; };
kernel void k(struct s s) { void (^b)(void) = ^{ s.x = 2; }; }
//                                                   ^ error: variable is not assignable (missing __block type specifier)
//--- local variable of the kernel that a block assigns
kernel void k(void) { local int x; void (^b)(void) = ^{ x = 2; }; }
//                                                        ^ error: variable is not assignable (missing __block type specifier)
//--- array that a block captures is accepted
kernel void k(void) { int a[2] = { 1, 2 }; int (^b)(void) = ^{ return a[0]; }; }
//--- label of the kernel in a block
kernel void k(void) { out: ; void (^b)(void) = ^{ goto out; }; }
//                                                     ^ error: use of undeclared label 'out'
//--- break of the kernel in a block
kernel void k(void) { for (;;) { void (^b)(void) = ^{ break; }; } }
//                                                    ^ error: 'break' statement not in loop or switch statement
//--- undeclared name in a block
kernel void k(void) { void (^b)(void) = ^{ missing(); }; }
//                                         ^ error: use of undeclared identifier 'missing'
//--- enqueue_kernel with too few arguments
kernel void k(queue_t q) { enqueue_kernel(q); }
//                         ^ error: too few arguments to function call, expected at least 4, have 1
//--- enqueue_kernel without a queue
kernel void k(int q) { enqueue_kernel(q, 0, ndrange_1D(1), ^{ }); }
//                                    ^ error: illegal call to 'enqueue_kernel', expected 'queue_t' argument type
//--- enqueue_kernel with float flags
kernel void k(queue_t q) { enqueue_kernel(q, 1.0f, ndrange_1D(1), ^{ }); }
//                                           ^ error: illegal call to 'enqueue_kernel', expected 'kernel_enqueue_flags_t' (i.e. uint) argument type
//--- enqueue_kernel without a range
kernel void k(queue_t q) { enqueue_kernel(q, 0, 4, ^{ }); }
//                                              ^ error: illegal call to 'enqueue_kernel', expected 'ndrange_t' argument type
//--- enqueue_kernel without a block
kernel void k(queue_t q) { enqueue_kernel(q, 0, ndrange_1D(1), 1); }
//                                                             ^ error: illegal call to 'enqueue_kernel', expected block argument type
//--- enqueue_kernel with a function
void f(void) { }
kernel void k(queue_t q) { enqueue_kernel(q, 0, ndrange_1D(1), f); }
//                                                             ^ error: taking address of function is not allowed
//--- parameters of a block without sizes
kernel void k(queue_t q) { enqueue_kernel(q, 0, ndrange_1D(1), ^(local void *p) { }); }
//                                                             ^ error: blocks with parameters are not accepted in this prototype of enqueue_kernel call
//--- sizes without parameters
kernel void k(queue_t q) { enqueue_kernel(q, 0, ndrange_1D(1), ^{ }, 4); }
//                         ^ error: mismatch in number of block parameters and local size arguments passed
//--- size that is not an integer
kernel void k(queue_t q) { enqueue_kernel(q, 0, ndrange_1D(1), ^(local void *p) { }, 4.0f); }
//                                                                                   ^ error: illegal call to enqueue_kernel, parameter needs to be specified as integer type
//--- parameter that is not a local pointer
kernel void k(queue_t q) { enqueue_kernel(q, 0, ndrange_1D(1), ^(global void *p) { }, 4); }
//                                                               ^ error: blocks used in enqueue_kernel call are expected to have parameters of type 'local void*'
//--- parameter that is a local pointer to int
kernel void k(queue_t q) { enqueue_kernel(q, 0, ndrange_1D(1), ^(local int *p) { }, 4); }
//                                                               ^ error: blocks used in enqueue_kernel call are expected to have parameters of type 'local void*'
//--- parameter of a block variable that is a local pointer to int
kernel void k(queue_t q) { void (^b)(local int *) = ^(local int *p) { }; enqueue_kernel(q, 0, ndrange_1D(1), b, 4); }
//                                                                                                           ^ error: blocks used in enqueue_kernel call are expected to have parameters of type 'local void*'
//--- second parameter of a block that is an integer
kernel void k(queue_t q) { enqueue_kernel(q, 0, ndrange_1D(1), ^(local void *p, int n) { }, 4, 4); }
//                                                                              ^ error: blocks used in enqueue_kernel call are expected to have parameters of type 'local void*'
//--- number of events that is a float
kernel void k(queue_t q, clk_event_t e) { enqueue_kernel(q, 0, ndrange_1D(1), 1.0f, &e, 0, ^{ }); }
//                                                                            ^ error: illegal call to 'enqueue_kernel', expected integer argument type
//--- events that are integers
kernel void k(queue_t q, global int *p) { enqueue_kernel(q, 0, ndrange_1D(1), 1, p, 0, ^{ }); }
//                                                                               ^ error: illegal call to 'enqueue_kernel', expected 'clk_event_t *' argument type
//--- event to return that is an integer
kernel void k(queue_t q, int n) { enqueue_kernel(q, 0, ndrange_1D(1), 0, 0, n, ^{ }); }
//                                                                          ^ error: illegal call to 'enqueue_kernel', expected 'clk_event_t *' argument type
//--- event by value in a wait list | clang:accepts
kernel void k(queue_t q) { clk_event_t e; enqueue_kernel(q, 0, ndrange_1D(1), 1, e, 0, ^{ }); }
//                                                                               ^ error: illegal call to 'enqueue_kernel', expected 'clk_event_t *' argument type
//--- work-group size of no block
kernel void k(global int *p) { p[0] = get_kernel_work_group_size(1); }
//                                                               ^ error: illegal call to 'get_kernel_work_group_size', expected block argument type
//--- work-group size of a block with integers
kernel void k(global int *p) { p[0] = get_kernel_work_group_size(^(int n) { }); }
//                                                                 ^ error: blocks used in enqueue_kernel call are expected to have parameters of type 'local void*'
//--- queue from a number
kernel void k(void) { queue_t q = 1; }
//                            ^ error: initializing '__private queue_t' with an expression of incompatible type 'int'
//--- sum of queues
kernel void k(queue_t q) { q + 1; }
//                           ^ error: invalid operands to binary expression ('__private queue_t' and 'int')
//--- event of the unit
clk_event_t e;
//          ^ error: the '__private clk_event_t' type cannot be used to declare a program scope variable
//--- member of a range that does not exist
kernel void k(global int *p) { ndrange_t r = ndrange_1D(1); p[0] = r.size; }
//                                                                   ^ error: no member named 'size' in 'ndrange_t'
//--- range with too many sizes
kernel void k(void) { ndrange_t r = ndrange_1D(1, 2, 3, 4); }
//                                  ^ error: no matching function for call to 'ndrange_1D'
//--- captured event
kernel void k(queue_t q) { clk_event_t e; enqueue_kernel(q, 0, ndrange_1D(1), e, 0, ^{ }); }
//                                        ^ error: illegal call to enqueue_kernel, incorrect argument types
//--- retain of no event
kernel void k(int n) { retain_event(n); }
//                                  ^ error: passing '__private int' to parameter of incompatible type 'clk_event_t'
//--- correct: blocks
constant int scale = 2;
constant int (^file)(int) = ^(int x) { return x * scale; };
typedef int (^bt)(int);
kernel void k(global int *p, int n) {
  int x = 1; bt twice = ^(int v) { return v * 2; }; int (^sum)(int, int) = ^int(int a, int b) { return a + b + x; };
  p[0] = twice(3) + sum(n, 2) + ^(int v) { return v; }(3) + file(1); ^{ p[1] = x; int y = 2; y++; }();
}
//--- correct: enqueue_kernel
kernel void k(queue_t q, global int *p, int n) {
  ndrange_t r = ndrange_1D(4); clk_event_t e, list[2]; void (^b)(void) = ^{ p[0] = n; };
  enqueue_kernel(q, 0, r, b); enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, r, ^{ p[1] = 1; });
  enqueue_kernel(q, 0, r, 0, 0, &e, b); enqueue_kernel(q, 0, r, 1, &e, &list[0], b);
  enqueue_kernel(q, 0, r, 2, list, NULL, ^(local void *l) { p[2] = ((local int *)l)[0]; }, 16);
  enqueue_kernel(q, 0, r, ^(local void *l, const local void *m) { }, 16u, n); release_event(e);
  p[3] = get_kernel_work_group_size(b) + get_kernel_preferred_work_group_size_multiple(^(local void *l) { });
  set_user_event_status(create_user_event(), CL_COMPLETE); if (is_valid_event(e)) retain_event(e);
}
