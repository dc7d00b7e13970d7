// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Wheel, drag, pinch, click and keys as what they mean to a view. The wheel scrolls the page until
// the canvas has the focus or a modifier is held: nobody is to be caught in a picture on the way
// down.

export interface Gestures {
  /** Scales by `factor` (under 1: zooms in) around `x`. */
  zoom?(factor: number, x: number): void;
  /** Moves the content by so many pixels. */
  pan?(dx: number, dy: number): void;
  hover?(x: number, y: number): void;
  leave?(): void;
  click?(x: number, y: number): void;
  doubleClick?(x: number, y: number): void;
  /** A drag with shift held: from where it began to where it is. */
  measure?(fromX: number, toX: number, isDone: boolean): void;
  /** `x`: where the mouse is; null: not on the canvas. True: the key is taken. */
  key?(key: string, isShift: boolean, x: number | null): boolean;
}

const PER_PIXEL = 1.0025;
const LINE = 16;
const DRAG = 4;

/** A button or finger that is down. */
interface Press {
  readonly x: number;
  readonly y: number;
  readonly isDrag: boolean;
  /** Where a drag with shift began; null: it is another drag. */
  readonly measuredFrom: number | null;
}

/** Returns what ends it. */
export function listen(canvas: HTMLCanvasElement, on: Gestures): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  let down: Press | null = null;
  let mouse: number | null = null;
  const fingers = new Map<number, Finger>();

  /** The finger that stays drags on from where it is. */
  function release(event: PointerEvent): void {
    fingers.delete(event.pointerId);
    const [left] = fingers.values();
    down = left ? { ...left, isDrag: true, measuredFrom: null } : null;
  }

  canvas.addEventListener(
    "wheel",
    (event) => {
      const isOurs = document.activeElement === canvas || event.ctrlKey || event.metaKey;
      if (!isOurs || !on.zoom) return;
      event.preventDefault();
      const scale = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1;
      const [dx, dy] = [event.deltaX * scale, event.deltaY * scale];
      if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) on.pan?.(-(dx || dy), 0);
      else on.zoom(PER_PIXEL ** dy, event.offsetX);
    },
    { signal, passive: false },
  );
  canvas.addEventListener(
    "pointerdown",
    (event) => {
      if (event.button !== 0) return;
      const [x, y] = [event.offsetX, event.offsetY];
      canvas.setPointerCapture(event.pointerId);
      if (event.pointerType === "touch") fingers.set(event.pointerId, { x, y });
      const measuredFrom = event.shiftKey && on.measure ? x : null;
      down = { x, y, isDrag: fingers.size > 1, measuredFrom };
    },
    { signal },
  );
  canvas.addEventListener(
    "pointermove",
    (event) => {
      const [x, y] = [event.offsetX, event.offsetY];
      if (event.pointerType !== "touch") mouse = x;
      if (fingers.size > 1) {
        const before = pinchOf(fingers);
        if (fingers.has(event.pointerId)) fingers.set(event.pointerId, { x, y });
        pinch(on, before, pinchOf(fingers));
        return;
      }
      if (!down) {
        on.hover?.(x, y);
        return;
      }
      const isFar = Math.hypot(x - down.x, y - down.y) >= DRAG;
      if (!on.pan || !(down.isDrag || isFar)) return;
      on.leave?.();
      if (down.measuredFrom === null) on.pan(x - down.x, y - down.y);
      else on.measure?.(down.measuredFrom, x, false);
      down = { ...down, x, y, isDrag: true };
    },
    { signal },
  );
  canvas.addEventListener(
    "pointerup",
    (event) => {
      if (down && !down.isDrag) on.click?.(event.offsetX, event.offsetY);
      else if (down && down.measuredFrom !== null) {
        on.measure?.(down.measuredFrom, event.offsetX, true);
      }
      release(event);
    },
    { signal },
  );
  canvas.addEventListener("dblclick", (event) => on.doubleClick?.(event.offsetX, event.offsetY), {
    signal,
  });
  canvas.addEventListener("pointercancel", release, { signal });
  canvas.addEventListener(
    "pointerleave",
    () => {
      mouse = null;
      on.leave?.();
    },
    { signal },
  );
  canvas.addEventListener("blur", () => on.leave?.(), { signal });
  canvas.addEventListener(
    "keydown",
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (on.key?.(event.key, event.shiftKey, mouse)) {
        event.preventDefault();
        event.stopPropagation();
      }
    },
    { signal },
  );
  return () => ending.abort();
}

interface Finger {
  readonly x: number;
  readonly y: number;
}

export interface Pinch {
  readonly middle: number;
  readonly width: number;
}

/** As far apart as fingers are wide: closer, a tremble would be a large factor. */
const NARROWEST_PINCH = 20;

/** Of the first two fingers. */
export function pinchOf(fingers: ReadonlyMap<number, Finger>): Pinch {
  const [a, b] = [...fingers.values()];
  if (!a || !b) return { middle: a?.x ?? 0, width: NARROWEST_PINCH };
  const width = Math.max(NARROWEST_PINCH, Math.hypot(a.x - b.x, a.y - b.y));
  return { middle: (a.x + b.x) / 2, width };
}

/** What is between the fingers stays between them. */
function pinch(on: Gestures, before: Pinch, after: Pinch): void {
  on.leave?.();
  on.pan?.(after.middle - before.middle, 0);
  on.zoom?.(before.width / after.width, after.middle);
}
