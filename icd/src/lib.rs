//! The installable client driver: the C interface of OpenCL over the runtime.
