"""Between Blender's space and mien's: Blender has Z up and faces look along -Y, mien has Y up and +Z.

Only exchanges and changes of sign: no bit of a coordinate is lost on the way.
"""

import math

import numpy as np

# mien = TURN @ blender
TURN = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], np.float64)


def to_mien(points, out=None):
    """(n, 3) of Blender -> (n, 3) of mien."""
    out = np.empty((len(points), 3), np.float32) if out is None else out
    out[:, 0] = points[:, 0]
    out[:, 1] = points[:, 2]
    np.negative(points[:, 1], out=out[:, 2])
    return out


def to_blender(points, out=None):
    out = np.empty((len(points), 3), np.float32) if out is None else out
    out[:, 0] = points[:, 0]
    np.negative(points[:, 2], out=out[:, 1])
    out[:, 2] = points[:, 1]
    return out


_PLACE = [0, 2, 1, 3]
_SIGN = np.outer([1, 1, -1, 1], [1, 1, -1, 1]).astype(np.float64)


def matrix_to_mien(matrix):
    """TURN @ matrix @ TURN.T, by exchanges alone."""
    return matrix[_PLACE][:, _PLACE] * _SIGN


def split_scale(matrix):
    """(rows of it without scale, scale along the object's own axes). A mirrored object has one negative.

    In plain Python: numpy's linear algebra takes longer to be called than this to run.
    """
    (a, b, c, x), (d, e, f, y), (g, h, i, z), _ = matrix
    s, t, u = scale = _scale(a, b, c, d, e, f, g, h, i, x + y + z)
    return ((a / s, b / t, c / u, x), (d / s, e / t, f / u, y), (g / s, h / t, i / u, z), (0.0, 0.0, 0.0, 1.0)), scale


def placed(matrix):
    """Where it puts a head, in mien's axes: (nine numbers of the rotation, row by row; translation)."""
    (a, b, c, x), (d, e, f, y), (g, h, i, z), _ = matrix
    s, t, u = _scale(a, b, c, d, e, f, g, h, i, x + y + z)
    return (a / s, c / u, -b / t, g / s, i / u, -h / t, -d / s, -f / u, e / t), (x, z, -y)


def _scale(a, b, c, d, e, f, g, h, i, far):
    s, t, u = math.sqrt(a * a + d * d + g * g), math.sqrt(b * b + e * e + h * h), math.sqrt(c * c + f * f + i * i)
    if not (1e-9 < s < 1e9 and 1e-9 < t < 1e9 and 1e-9 < u < 1e9 and math.isfinite(far)):
        raise ValueError("the object's transform is not finite or has no size along an axis")
    # single precision: what is one but for rounding is one
    s = 1.0 if -1e-5 < s - 1 < 1e-5 else s
    t = 1.0 if -1e-5 < t - 1 < 1e-5 else t
    u = 1.0 if -1e-5 < u - 1 < 1e-5 else u
    if a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0:
        s = -s
    return s, t, u
