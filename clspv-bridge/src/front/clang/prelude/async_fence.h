// cl_khr_async_work_group_copy_fence. Copies before it are complete and seen by all work-items.
static inline void __attribute__((convergent)) async_work_group_copy_fence(cl_mem_fence_flags flags) { barrier(flags); }
