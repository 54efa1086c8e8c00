"""Blender's own window, driven by a script: events as a hand would make them, one thing per redraw.

A test is a generator: `yield` lets Blender handle its events and draw, `yield condition` until it is true.
"""

import os
import sys
import time
import traceback

import bpy

STEP, PATIENCE = 0.05, float(os.environ.get("MIEN_PATIENCE", "60"))  # s between two looks; s before a condition that does not come true is an error


def window():
    return bpy.context.window_manager.windows[0]


def area_of(kind):
    return next(a for a in window().screen.areas if a.type == kind)


def region_of(area, kind):
    return next(r for r in area.regions if r.type == kind)


def in_view():
    """Operators act as if the pointer were in the 3D view."""
    area = area_of("VIEW_3D")
    return bpy.context.temp_override(window=window(), area=area, region=region_of(area, "WINDOW"))


def press(key, at=None, **held):
    x, y = at or middle()
    for value in ("PRESS", "RELEASE"):
        window().event_simulate(key, value, x=x, y=y, **held)


def move(x, y):
    window().event_simulate("MOUSEMOVE", "NOTHING", x=x, y=y)


def middle():
    region = region_of(area_of("VIEW_3D"), "WINDOW")
    return region.x + region.width // 2, region.y + region.height // 2


def operate(name, **settings):
    """An operator as a key of the user's calls it, undo step included; a call from Python leaves none."""
    keymap = bpy.context.window_manager.keyconfigs.addon.keymaps.new("Window")
    item = keymap.keymap_items.new(name, "F13", "PRESS")
    for key, value in settings.items():
        setattr(item.properties, key, value)
    yield
    move(*middle())
    press("F13")
    yield
    yield
    keymap.keymap_items.remove(item)


def open_tab(is_open):
    """Chooses our tab of the sidebar: Blender 3 lets only a mouse do that. Clicks down the strip of tabs
    until `is_open` says that it is ours."""
    area = area_of("VIEW_3D")
    area.spaces.active.show_region_ui = True
    yield
    region = region_of(area, "UI")
    x, y = region.x + region.width - 10, region.y + region.height - 30
    while not is_open() and y > region.y:
        move(x, y)
        press("LEFTMOUSE", (x, y))
        yield
        yield
        y -= 20
    assert is_open(), "no tab of ours in the sidebar"


def screenshot(path):
    """The whole window."""
    with in_view():
        bpy.ops.screen.screenshot(filepath=path)


def quit_with(code):
    sys.stdout.flush()
    sys.stderr.flush()

    os._exit(code)  # quit_blender asks about unsaved changes and always says 0


def run(steps):
    """Runs generators one after the other, from Blender's own event loop; ends Blender."""
    waiting = list(steps)
    state = {"now": None, "wait": None, "since": 0.0, "begin": time.time()}

    def tick():
        if state["now"] is None:
            if not waiting:
                quit_with(0)
            state["name"], make = waiting.pop(0)
            state["now"], state["begin"] = make(), time.time()
        if state["wait"] is not None and not state["wait"]():
            if time.time() - state["since"] > PATIENCE:
                raise TimeoutError(f"{state['name']}: waited {PATIENCE:.0f} s")
            return STEP
        try:
            state["wait"], state["since"] = next(state["now"]), time.time()
            area_of("VIEW_3D").tag_redraw()  # a script's changes do not redraw by themselves
        except StopIteration:
            print(f"{state['name']}: passed in {time.time() - state['begin']:.1f} s", flush=True)
            state["now"] = state["wait"] = None
        return STEP

    def guarded():
        try:
            return tick()
        except BaseException:
            traceback.print_exc()
            quit_with(1)

    bpy.app.timers.register(guarded, first_interval=0.5)
