# Prints the paths of the interpreter, of the folder of the package typst, and of the libraries.
import json
import os
import sys
import sysconfig

import typst

paths = sysconfig.get_paths()
print(json.dumps({
    "Python": os.path.realpath(sys.executable),
    "Package": os.path.dirname(os.path.dirname(os.path.realpath(typst.__file__))),
    "Libraries": sorted({os.path.realpath(p) for p in (paths["stdlib"], paths["platstdlib"], sysconfig.get_config_var("LIBDIR")) if p}),
}))
