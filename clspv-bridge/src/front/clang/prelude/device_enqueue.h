// clang's own definitions: one that it cannot compile, and one that is not a queue_t.
#if defined(__opencl_c_device_enqueue) || __OPENCL_C_VERSION__ == 200
clk_event_t pc_null_event(void);
queue_t pc_null_queue(void);
#undef CLK_NULL_EVENT
#undef CLK_NULL_QUEUE
#define CLK_NULL_EVENT pc_null_event()
#define CLK_NULL_QUEUE pc_null_queue()
#endif
