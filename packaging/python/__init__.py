"""OpenCL 3.1 on top of Vulkan compute: the driver for PyOpenCL and other programs.

PyOpenCL's wheels find the driver by themselves. For other programs, put the folder `vendors()` into
the environment variable OCL_ICD_VENDORS.
"""

import os
import sys
import tempfile


def library():
    """Return the path of the driver."""
    for folder in sys.path:
        path = os.path.join(folder, "pyopencl", ".libs", "libpyroclast.so.1")
        if os.path.exists(path):
            return os.path.abspath(path)
    raise FileNotFoundError("libpyroclast.so.1 is missing: install pyroclast-opencl again")


def vendors():
    """Return a new folder with one .icd file that names the driver."""
    folder = tempfile.mkdtemp(prefix="pyroclast-vendors-")
    with open(os.path.join(folder, "pyroclast.icd"), "w", encoding="utf-8") as file:
        file.write(library() + "\n")
    return folder
