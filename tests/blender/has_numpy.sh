# Sourced: an expression for Blender's own Python that ends it with 77 (skipped) where numpy is missing.
has_numpy='
import importlib.util, os
if importlib.util.find_spec("numpy") is None:
    print("skipped: Blender has no numpy (apt-get install python3-numpy)", flush=True)
    os._exit(77)
'
