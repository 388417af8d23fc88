//! test cl
// error: :4:37: error: use of undeclared identifier 'nothing'
//
kernel void k(global int *p) { *p = nothing; }
