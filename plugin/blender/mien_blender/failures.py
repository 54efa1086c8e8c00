"""What may go wrong in an operator, and how the artist is told."""

from .mien import MienError

KINDS = (MienError, OSError, ValueError, KeyError)


def told(error):
    """A sentence: the system's own words come with a number and without a verb."""
    if isinstance(error, OSError) and error.strerror:
        return f"cannot use '{error.filename}': {error.strerror}" if error.filename else error.strerror
    return str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
